import Platform
import Playback
import RoomClient
import RoomProtocol
import RoomSync

/// In the room or out of it: library mode leaves it, a join leads back.
extension ListeningSession {
  /// The way back to a room that is under way.
  struct Return {
    /// The room by id, name or a beginning; nil is the one that was left.
    var room: String?
    var done: CheckedContinuation<Result<ChannelInfo, JoinError>, Never>
    var timer: Task<Void, Never>
  }

  /// Is connected whenever a room is listened to, until nothing is left to wait for.
  ///
  /// - Throws: as `run`.
  func attend() async throws {
    while true {
      try Task.checkCancellation()
      if let end { throw end }
      if local != nil, comingBack == nil {
        for await _ in turns.stream { break }
        continue
      }
      let attendance = Task { try await stayConnected() }
      self.attendance = attendance
      let result = await withTaskCancellationHandler {
        await attendance.result
      } onCancel: {
        attendance.cancel()
      }
      if let end { throw end }
      if attendance.isCancelled { continue }
      guard comingBack != nil, case .failure(let error) = result else { return try result.get() }
      // The library plays on.
      failReturn(JoinError(error))
    }
  }

  /// Leaves the room: its socket is closed, its sound ends.
  func leaveRoom() {
    roomWish = joined?.id.rawValue ?? roomWish
    attendance?.cancel()
    socket?.close()
    socket = nil
    failMove(.superseded)
    perform(engine.handle(.left, at: time.now()))
    wishes = []
    outage = nil
    announced.track = nil
    announced.state = nil
  }

  /// Goes back to a room; the library is heard until the room's first state is here.
  ///
  /// - Parameter room: by id, name or a beginning; nil is the one that was left.
  /// - Returns: the room.
  /// - Throws: `JoinError`; the library plays on then.
  func comeBack(to room: String?) async throws(JoinError) -> ChannelInfo {
    let result = await withCheckedContinuation { done in
      failReturn(.superseded)
      let timer = Task {
        guard (try? await time.sleep(time.now() + .seconds(10))) != nil else { return }
        failReturn(.timeout)
      }
      comingBack = Return(room: room, done: done, timer: timer)
      turns.continuation.yield()
    }
    return try result.get()
  }

  /// Ends what is played besides the room, whose first state is here.
  func endLocal() {
    guard local != nil else { return }
    local = nil
    loading?.cancel()
    player.stop()
    emit.yield(.source(.room))
  }

  /// Tells that we are back.
  func completeReturn() {
    guard let back = comingBack, let joined else { return }
    endReturn(back, .success(joined))
  }

  /// Tells that the way back is barred; what was begun of it ends.
  func failReturn(_ error: JoinError) {
    guard let back = comingBack else { return }
    attendance?.cancel()
    // A socket may have been open that never brought a state.
    perform(engine.handle(.left, at: time.now()))
    endReturn(back, .failure(error))
  }

  private func endReturn(_ back: Return, _ result: Result<ChannelInfo, JoinError>) {
    comingBack = nil
    back.timer.cancel()
    back.done.resume(returning: result)
  }
}

extension JoinError {
  /// What ended an attempt to listen, for who wanted to come back.
  fileprivate init(_ error: any Error) {
    switch error {
    case ListeningEnd.unknownRoom(let name, let known): self = .unknownRoom(name, known: known)
    case ListeningEnd.ambiguousRoom(let name, let rooms):
      self = .ambiguousRoom(name, candidates: rooms)
    case ListeningEnd.refused(let error): self = .refused(error)
    case ListeningEnd.untrusted(let error), ListeningEnd.unreachable(let error):
      self = .unreachable(error)
    default: self = .notConnected
    }
  }
}
