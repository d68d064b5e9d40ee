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
    // Who has left a room has ended the stream of its sockets, too.
    traffic = AsyncStream.makeStream()
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
      if case .failed(let error) = interruption.reason,
        !configuration.waitsForServer || comingBack != nil
      {
        throw ListeningEnd.unreachable(error)
      }
      emit.yield(.disconnected(.init(reason: interruption.reason, retryAfter: delay)))
      await noteOutage(
        interruption.reason, retryAfter: delay, wasConnected: stateAt != stateBefore)
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
    openSocket(to: channel)
    let ended = await follow()
    socket?.close()
    socket = nil
    failMove(.notConnected)
    perform(engine.handle(.disconnected, at: time.now()))
    // What was asked for on that socket has no other to be answered on.
    wishes = []
    return try interruption(by: ended, isFirst: isFirst)
  }

  /// Opens a socket to a channel, in the place of the one there is.
  func openSocket(to channel: ChannelInfo) {
    socket?.close()
    socketNumber += 1
    let (number, socket, traffic) = (socketNumber, server.join(channel.id), traffic.continuation)
    self.socket = socket
    target = channel
    Task {
      for await event in socket.events { traffic.yield(Traffic(number: number, event: event)) }
    }
  }

  /// Takes what comes of the socket, and of those that follow it, until one ends.
  private func follow() async -> RoomSocketEnd {
    for await traffic in traffic.stream where traffic.number == socketNumber {
      switch traffic.event {
      case .opened: opened()
      case .message(let received): take(received)
      case .ended(let end):
        if !goBack(after: end) { return end }
      }
      if end != nil { break }
    }
    return RoomSocketEnd(wasOpen: false, closeCode: nil, reason: "", error: nil)
  }

  private func opened() {
    guard let target else { return }
    joined = target
    outage = nil
    perform(engine.handle(.joined(target.id), at: time.now()))
    emit.yield(.connected(channel: target, user: user))
    retryLoad()
    wantLibrary(isChanged: false)
  }

  /// The startup sequence: who we are, what the server offers, which rooms there are.
  private func greet() async throws {
    let api = server.api
    // The first answer may make a guest's session: before it, others would make one each.
    try await introduceOurselves()
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
    guard let wish = comingBack?.room ?? roomWish else {
      guard let room = channels.usual(last: configuration.lastRoom) else {
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
      case .unknownHost, .unreachable, .timeout, .http, .interrupted, .unreadable, .aborted,
        .cancelled,
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
      if status == 401, let user, !user.isGuest {
        throw ListeningEnd.sessionExpired(of: user.username, at: server.server)
      }
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
