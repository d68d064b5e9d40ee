import Platform
package import RoomClient
package import RoomProtocol
import RoomSync
import Transport

/// Why a listener did not move to another room; it stays where it was.
package enum JoinError: Error, Sendable {
  /// There is no such room; the rooms there are.
  case unknownRoom(String, known: [ChannelInfo])
  /// Several rooms are meant.
  case ambiguousRoom(String, candidates: [ChannelInfo])
  /// The server can't be reached at the moment.
  case notConnected
  /// Nor can it now that it was tried.
  case unreachable(RoomError)
  /// The room does not let us in.
  case refused(RoomError)
  /// The room said nothing for ten seconds.
  case timeout
  /// Another room was asked for meanwhile.
  case superseded
}

extension ListeningSession {
  /// A change of rooms that is under way.
  struct Move {
    var room: ChannelInfo
    /// Where we come from, and go back to where the room does not let us in.
    var origin: ChannelInfo?
    var done: CheckedContinuation<Result<ChannelInfo, JoinError>, Never>
    var timer: Task<Void, Never>
    /// Whether the server was asked to move the socket there is, and has not done it yet.
    var isSwitching = false
  }

  /// How long the server may take to move a socket before one of its own is opened for the room.
  private static let switchPatience = Duration.seconds(2)

  /// Moves to another room: on the socket there is, or, where the server does not move it, on another;
  /// the device stays open.
  ///
  /// Out of library mode it leads back into sync.
  ///
  /// - Parameter name: the room by id, name or a beginning of either; nil is the one we are in, or
  ///   have left.
  /// - Returns: the room, once its first state is here.
  /// - Throws: `JoinError`; the listener is where it was then.
  package func join(_ name: String?) async throws(JoinError) -> ChannelInfo {
    if local != nil { return try await comeBack(to: name) }
    guard let name = name ?? joined?.id.rawValue else { throw .notConnected }
    let room = try await find(name)
    guard socket != nil else { throw .notConnected }
    if room.id == engine.channel, move == nil { return room }
    let result = await withCheckedContinuation { done in
      failMove(.superseded)
      let timer = Task {
        guard (try? await time.sleep(time.now() + .seconds(10))) != nil else { return }
        giveUpMove(to: room)
      }
      move = Move(room: room, origin: joined, done: done, timer: timer)
      askToSwitch(to: room)
    }
    return try result.get()
  }

  private func askToSwitch(to room: ChannelInfo) {
    move?.isSwitching = true
    socket?.send(.switch(to: room.id))
    Task {
      guard (try? await time.sleep(time.now() + Self.switchPatience)) != nil else { return }
      if move?.room.id == room.id { openInsteadOfSwitching() }
    }
  }

  /// Opens a socket for the room that was asked for, where the server does not move the one there is.
  ///
  /// - Returns: whether it was so.
  @discardableResult
  func openInsteadOfSwitching() -> Bool {
    guard let room = move?.room, move?.isSwitching == true else { return false }
    move?.isSwitching = false
    openSocket(to: room)
    return true
  }

  /// Takes it that the server has moved our socket to another room.
  func switched(to channel: ChannelID, at instant: ContinuousClock.Instant) {
    if move?.room.id == channel { move?.isSwitching = false }
    let room = channels.first { $0.id == channel } ?? ChannelInfo(id: channel)
    perform(engine.handle(.joined(channel), at: instant))
    joined = room
    target = room
    emit.yield(.switched(room))
  }

  private func find(_ name: String) async throws(JoinError) -> ChannelInfo {
    let exact = channels.filter { $0.id.rawValue == name || $0.name == name }
    if exact.count == 1 { return exact[0] }
    // The list may be older than the room, or than another that is meant as well.
    do throws(RoomError) {
      channels = try await server.api.channels().elements
    } catch {
      throw .unreachable(error)
    }
    switch NameLookup(name, in: channels) {
    case .found(let room): return room
    case .ambiguous(let rooms): throw .ambiguousRoom(name, candidates: rooms)
    case .missing: throw .unknownRoom(name, known: channels)
    }
  }

  /// Tells that the move is done: a state of the room is here.
  func completeMove(to channel: ChannelID) {
    guard let move, move.room.id == channel else { return }
    end(move, .success(move.room))
  }

  /// Tells that the move has failed.
  func failMove(_ error: JoinError) {
    if let move { end(move, .failure(error)) }
  }

  /// Goes back to the room we come from when a socket has ended that never let us in.
  ///
  /// - Returns: whether it was so, and another socket is on its way.
  func goBack(after socketEnd: RoomSocketEnd) -> Bool {
    if openInsteadOfSwitching() { return true }
    guard let move else { return false }
    guard engine.channel != move.room.id else {
      end(move, .failure(.notConnected))
      return false
    }
    end(move, .failure(socketEnd.joinError))
    guard let origin = move.origin else { return false }
    openSocket(to: origin)
    return true
  }

  private func giveUpMove(to room: ChannelInfo) {
    guard let move, move.room.id == room.id else { return }
    end(move, .failure(.timeout))
    if engine.channel != room.id, let origin = move.origin { openSocket(to: origin) }
  }

  private func end(_ move: Move, _ result: Result<ChannelInfo, JoinError>) {
    self.move = nil
    move.timer.cancel()
    move.done.resume(returning: result)
  }

  // MARK: Who we are

  /// Takes the session that a login or logout has left on disk: a new socket carries it, the sound
  /// goes on untouched.
  ///
  /// - Returns: who we are now; nil where the server does not say.
  /// - Throws: `SessionError`, `RoomError`. Where the server wants a sign-in now, listening ends.
  package func followSession() async throws -> User? {
    try await server.reload()
    do {
      identity = try await server.api.me()
    } catch let error {
      if case .notSignedIn = error, local == nil {
        end = .refused(error)
        socket?.close()
      }
      throw error
    }
    try? await server.save()
    if socket != nil, let target { openSocket(to: target) }
    return user
  }

  /// Asks the server who we are, and tells where it does not know us any more.
  ///
  /// - Throws: `RoomError`; `ListeningEnd.sessionExpired` where the session is gone and nobody is
  ///   let in without.
  func introduceOurselves() async throws {
    let before = user
    let hadSession = !server.http.cookies.all.isEmpty
    do {
      identity = try await server.api.me()
    } catch let error {
      guard case .notSignedIn = error, hadSession else { throw error }
      try? await server.forget(isWanted: false)
      throw ListeningEnd.sessionExpired(of: before?.username, at: server.server)
    }
    if let before, !before.isGuest, user?.isGuest ?? true {
      emit.yield(.sessionExpired(of: before.username, now: user))
    }
  }
}

extension RoomSocketEnd {
  fileprivate var joinError: JoinError {
    let operation = "the room's socket"
    switch refusal {
    case 401: return .refused(.notSignedIn(operation: operation, message: "HTTP 401"))
    case 403: return .refused(.forbidden(operation: operation, message: "HTTP 403"))
    case 404: return .refused(.notFound(operation: operation, message: "HTTP 404"))
    default: break
    }
    return error.map { .refused(.transport($0)) } ?? .notConnected
  }
}
