import Platform
import Playback
import RoomClient
import RoomProtocol
import RoomSync
import Transport

extension ListeningSession {
  /// Connects, again and again, by the rule of reconnection (sync.md 28-32).
  func stayConnected() async throws {
    var policy = ReconnectPolicy()
    var hasSucceeded = false
    while true {
      let stateBefore = stateAt
      let interruption = try await connect(isFirst: !hasSucceeded)
      if stateAt != stateBefore {
        policy.succeeded()
        hasSucceeded = true
      }
      try Task.checkCancellation()
      if let end { throw end }
      // What forbids another attempt has been thrown before.
      guard
        let delay = policy.delay(
          after: interruption.ending, at: time.now(), random: .random(in: 0..<1))
      else { return }
      if case .failed(let error) = interruption.reason, !configuration.waitsForServer {
        throw ListeningEnd.unreachable(error)
      }
      emit.yield(.disconnected(.init(reason: interruption.reason, retryAfter: delay)))
      try await time.sleep(time.now() + delay)
    }
  }

  /// Why a connection, or the attempt at one, is over.
  private struct Interruption {
    var ending: ReconnectPolicy.Ending
    var reason: ListeningEvent.Interruption.Reason
  }

  /// One connection, from the first request to the socket's end.
  ///
  /// - Parameter isFirst: whether no connection has worked yet: then an answer that no room server
  ///   gives is an error, later it is one more outage.
  /// - Returns: why it is over.
  /// - Throws: what waiting can't heal.
  private func connect(isFirst: Bool) async throws -> Interruption {
    let channel: ChannelInfo
    do {
      try await greet()
      channel = try chooseRoom()
    } catch let error as RoomError {
      return try interruption(by: error, isFirst: isFirst)
    }
    let socket = server.join(channel.id)
    self.socket = socket
    defer { self.socket = nil }
    var ended = RoomSocketEnd(wasOpen: false, closeCode: nil, reason: "", error: nil)
    for await event in socket.events {
      switch event {
      case .opened:
        perform(engine.handle(.joined(channel.id), at: time.now()))
        emit.yield(.connected(channel: channel, user: user))
        retryLoad()
      case .message(let received): take(received)
      case .ended(let end): ended = end
      }
      if end != nil { socket.close() }
    }
    perform(engine.handle(.disconnected, at: time.now()))
    // What was asked for on that socket has no other to be answered on.
    wishes = []
    return try interruption(by: ended, isFirst: isFirst)
  }

  /// The startup sequence: who we are, what the server offers, which rooms there are.
  private func greet() async throws {
    let api = server.api
    // The first answer may make a guest's session: before it, others would make one each.
    user = try await api.me().user
    async let status = api.status()
    async let rooms = api.channels()
    let greeting = try await status
    if let moved = greeting.movedTo {
      server = server.moved(to: moved)
      fetcher.move(to: server.api)
      emit.yield(.serverMoved(moved))
    }
    channels = try await rooms.elements
    // A session that can't be written is good for as long as we run.
    try? await server.save()
    emit.yield(.channels(channels))
  }

  private func chooseRoom() throws -> ChannelInfo {
    // Back after an outage: the room we were in, also where the server had moved us there.
    if let room = channels.first(where: { $0.id == engine.channel }) { return room }
    guard let wish = configuration.room else {
      guard let room = channels.first(where: \.isDefault) ?? channels.first else {
        throw ListeningEnd.noRooms
      }
      return room
    }
    switch NameLookup(wish, in: channels) {
    case .found(let room): return room
    case .ambiguous(let rooms): throw ListeningEnd.ambiguousRoom(wish, candidates: rooms)
    case .missing: throw ListeningEnd.unknownRoom(wish, known: channels)
    }
  }

  private func interruption(by error: RoomError, isFirst: Bool) throws -> Interruption {
    switch error {
    case .notSignedIn, .forbidden: throw ListeningEnd.refused(error)
    case .transport(let transport):
      switch transport.cause {
      case .untrusted: throw ListeningEnd.untrusted(error)
      case .certificateFile: throw ListeningEnd.unreachable(error)
      case .protocolViolation, .redirected, .tooLarge:
        if isFirst { throw ListeningEnd.unreachable(error) }
      case .unknownHost, .unreachable, .timeout, .http, .interrupted, .aborted, .cancelled,
        .stopped:
        break
      }
    case .notFound, .unexpected:
      if isFirst { throw ListeningEnd.unreachable(error) }
    case .server: break
    }
    return Interruption(ending: .lost, reason: .failed(error))
  }

  private func interruption(by end: RoomSocketEnd, isFirst: Bool) throws -> Interruption {
    if let status = end.refusal {
      if let error = RoomError(refusal: status) { throw ListeningEnd.refused(error) }
      return Interruption(ending: .refused(status: status), reason: reason(of: end))
    }
    if let error = end.error {
      return try interruption(by: RoomError.transport(error), isFirst: isFirst)
    }
    // A restart may come with another code than its own.
    let code = end.isRestart ? 1012 : end.closeCode
    let ending = code.map { ReconnectPolicy.Ending.closed(code: $0) }
    return Interruption(ending: ending ?? .lost, reason: reason(of: end))
  }

  private func reason(of end: RoomSocketEnd) -> ListeningEvent.Interruption.Reason {
    if let error = end.error { return .failed(.transport(error)) }
    return .closed(code: end.closeCode, reason: end.reason)
  }
}

extension RoomError {
  /// The error of a socket's handshake that was refused for want of a session or a permission.
  fileprivate init?(refusal status: Int) {
    switch status {
    case 401: self = .notSignedIn(operation: "the room's socket", message: "HTTP 401")
    case 403: self = .forbidden(operation: "the room's socket", message: "HTTP 403")
    default: return nil
    }
  }
}
