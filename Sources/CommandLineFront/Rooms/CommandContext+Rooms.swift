import Platform
import RoomClient
import RoomProtocol
import RoomSync
import Transport

extension CommandContext {
  /// Does something with the server that is meant, and ends the connection.
  ///
  /// The first request makes a guest's session where guests are allowed and there is none; an
  /// address that has moved to https is followed and said. What the server changed in the session
  /// is kept.
  ///
  /// - Parameters:
  ///   - needed: whether nothing can be done while the server is out of reach.
  ///   - body: what is done.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws, and what connecting throws.
  func withServer<Result>(
    needed: Bool = true, _ body: (ServerSession) async throws -> Result
  ) async throws -> Result {
    if let session = sessionAtPrompt { return try await body(session) }
    return try await with(try await connect()) { session in
      let greeted: ServerSession
      do {
        greeted = try await self.greeted(session)
      } catch  where !needed && isBearable(error) && !Task.isCancelled {
        greeted = session
      }
      return try await body(greeted)
    }
  }

  /// Whether a command that can do without the server goes on: where it may come back, and where
  /// nobody wants anything of it any more.
  private func isBearable(_ error: any Error) -> Bool {
    invocation.command == .logout || Diagnostic(describing: error).mayPass
  }

  /// Does something with the server of the room that is meant: the running listener's, where no
  /// other is named, else as `withServer`.
  ///
  /// - Throws: as `withServer`.
  func withRoomServer<Result>(
    needed: Bool = true, _ body: (ServerSession) async throws -> Result
  ) async throws -> Result {
    if let session = sessionAtPrompt { return try await body(session) }
    guard let server = try await listenersServer else {
      return try await withServer(needed: needed, body)
    }
    return try await with(try await connect(to: server), body)
  }

  /// Does something with what is kept of the running listener's server, or of the one that is meant;
  /// that is asked only where this does not suffice.
  ///
  /// - Throws: as `withServer`.
  func withKeptServer<Result>(
    _ body: (ServerSession) async throws -> Result
  ) async throws -> Result {
    if let session = sessionAtPrompt { return try await body(session) }
    let server = try await listenersServer ?? serverAddress
    return try await with(try await connect(to: server), body)
  }

  /// The session of the listener at whose prompt this was typed, where its server is meant; it goes
  /// on behind the command.
  private var sessionAtPrompt: ServerSession? {
    promptSession.flatMap { (try? serverAddress) == $0.server ? $0 : nil }
  }

  private func with<Result>(
    _ session: ServerSession, _ body: (ServerSession) async throws -> Result
  ) async throws -> Result {
    let wasKnown = session.isKnown
    do {
      let result = try await body(session)
      // A session that can't be kept is still good for this command.
      try? await session.save()
      await session.end()
      return result
    } catch {
      let error = await judged(error, on: session, wasKnown: wasKnown)
      try? await session.save()
      await session.end()
      throw error
    }
  }

  private func greeted(_ session: ServerSession) async throws -> ServerSession {
    guard !session.server.isSecure else { return session }
    guard let moved = try await session.api.newAddress() else { return session }
    console.note("the server is at \(moved) now")
    settings.adopt(moved)
    return session.moved(to: moved)
  }

  /// The room that is meant: `--channel`, else the running listener's, the configured one, the one
  /// joined last, the server's default, its first.
  ///
  /// - Throws: `RoomError`; `Diagnostic` where there is no such room, or several.
  func room(on session: ServerSession) async throws -> ChannelInfo {
    try await entrance(on: session).channel
  }

  /// The room that is meant, and who we are to it.
  ///
  /// - Throws: as `room(on:)`.
  func entrance(on session: ServerSession) async throws -> RoomEntrance {
    guard session.isKnown else {
      // Where guests are allowed this makes a session; later requests share it.
      let identity = try await identity(on: session)
      let channels = try await session.api.channels().elements
      return RoomEntrance(
        channel: try await meant(among: channels, on: session), identity: identity)
    }
    async let identity = identity(on: session)
    let channels = try await session.api.channels().elements
    return RoomEntrance(
      channel: try await meant(among: channels, on: session), identity: try await identity)
  }

  /// The room that is meant.
  ///
  /// - Parameters:
  ///   - channels: the server's rooms.
  ///   - session: its server.
  ///   - name: what somebody calls it; nil takes `--channel`, else the usual one.
  /// - Returns: the room.
  /// - Throws: `ControlError` where a listener runs that does not answer; `Diagnostic` where there is
  ///   no such room, or several.
  func meant(
    among channels: [ChannelInfo], on session: ServerSession, named name: String? = nil
  ) async throws -> ChannelInfo {
    keepNames(.channels, channels.map(\.name), of: session)
    if name == nil, !isGiven(.channel),
      let id = try await listenerStatus(at: session.server)?["room"]["id"].text,
      let room = channels.first(where: { $0.id.rawValue == id })
    {
      return room
    }
    guard let wanted = name ?? wantedRoom(on: session.server) else {
      guard let room = channels.usual(last: memory(of: session.server).room) else {
        throw Diagnostic(.notFound, "the server has no room")
      }
      return room
    }
    switch NameLookup(wanted, in: channels) {
    case .found(let room): return room
    case .ambiguous(let rooms): throw Diagnostic.ambiguousRoom(wanted, candidates: rooms)
    case .missing: throw Diagnostic.unknownRoom(wanted, known: channels)
    }
  }

  /// The room that was named; one of the configuration is no other server's, such as a listener's.
  private func wantedRoom(on server: ServerAddress) -> String? {
    if case .file? = settings.value(of: .channel)?.origin,
      let chosen = try? serverAddress, !chosen.isSame(as: server)
    {
      return nil
    }
    return invocation[.channel]
  }

  /// Joins the room that is meant for a moment, and waits for its state.
  ///
  /// - Parameters:
  ///   - wantsQueue: whether the queue is worth decoding.
  ///   - wish: what is to be done to it, `pause`: known guests are refused before anybody sees
  ///     them. Nil for those who only look.
  ///   - body: what is done there.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; `RoomError`, `Diagnostic`.
  func withVisit<Result>(
    wantsQueue: Bool, wish: String? = nil,
    _ body: (ServerSession, RoomVisit) async throws -> Result
  ) async throws -> Result {
    try await withRoomServer { session in
      let visit = try await visit(on: session, wantsQueue: wantsQueue, wish: wish)
      return try await body(session, visit)
    }
  }

  /// Comes into the room that is meant to control it, where what the listener's socket offers is
  /// enough: through a listener no session is begun.
  ///
  /// - Parameters:
  ///   - wantsQueue: whether the queue is worth decoding.
  ///   - wish: what is to be done to it.
  ///   - body: what is done there; its session is nil through a listener.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; `RoomError`, `Diagnostic`.
  func withControl<Result>(
    wantsQueue: Bool, wish: String,
    _ body: (ServerSession?, RoomVisit) async throws -> Result
  ) async throws -> Result {
    if let visit = try await visitThroughListener(wantsQueue: wantsQueue, wish: wish) {
      return try await body(nil, visit)
    }
    return try await withVisit(wantsQueue: wantsQueue, wish: wish) { session, visit in
      try await body(session, visit)
    }
  }

  /// Comes into the room that is meant: through the listener where one is in it, else by a socket.
  ///
  /// - Parameters:
  ///   - session: the server's.
  ///   - wantsQueue: whether the queue is worth decoding.
  ///   - wish: what is to be done to it; nil for those who only look.
  /// - Returns: the visit, with the room's state.
  /// - Throws: `RoomError`, `Diagnostic`.
  func visit(
    on session: ServerSession, wantsQueue: Bool, wish: String? = nil
  ) async throws -> RoomVisit {
    if let visit = try await visitThroughListener(
      of: session.server, wantsQueue: wantsQueue, wish: wish)
    {
      return visit
    }
    let entrance = try await entrance(on: session)
    if let wish { try entrance.checkControl(wish) }
    let visit = RoomVisit(entrance.channel, in: session, wantsQueue: wantsQueue)
    try await visit.arrive(within: arrivalPatience)
    return visit
  }

  /// Reads the room by REST until it is as wished, for as long as a wish may take to show.
  ///
  /// - Parameters:
  ///   - channel: the room.
  ///   - session: the session.
  ///   - what: what could not be done otherwise, in words.
  ///   - isDone: whether the room as it is now shows it.
  /// - Returns: the room as it was wished.
  /// - Throws: `Diagnostic` of the code `unconfirmed` where it never is.
  func reading(
    _ channel: ChannelInfo, on session: ServerSession, orElse what: String,
    until isDone: (RoomPicture) -> Bool
  ) async throws -> RoomPicture {
    let end = ContinuousClock.now + RoomVisit.patience
    var pause = Duration.milliseconds(50)
    while true {
      let room = try await glance(at: channel, on: session)
      if isDone(room) { return room }
      guard ContinuousClock.now + pause < end else {
        throw Diagnostic.ignored(what)
      }
      try await Task.sleep(for: pause)
      pause *= 2
    }
  }

  /// Reads the room that is meant by REST: nobody sees us, but there is no queue.
  func glance(at channel: ChannelInfo, on session: ServerSession) async throws -> RoomPicture {
    let timed = try await session.api.channelState(channel.id)
    let timeline = ChannelTimeline(timed.state, receivedAt: timed.answeredAt)
    return RoomPicture(
      id: channel.id, name: channel.name, state: timed.state, position: timeline.position(at: .now),
      queueLength: nil, others: timed.state.listenerCount)
  }
}

extension ServerSession {
  /// Joins the network's threads on a thread that may block.
  func end() async {
    await withCheckedContinuation { done in
      _ = NamedThread(name: "goodbye") {
        shutdown()
        done.resume()
      }
    }
  }
}

/// Gives a server's refusal the words of what was wanted.
///
/// - Throws: `Diagnostic`.
func attempting<Result>(
  _ what: @autoclosure () -> String, _ body: () async throws(RoomError) -> Result
) async throws(Diagnostic) -> Result {
  do throws(RoomError) {
    return try await body()
  } catch {
    throw Diagnostic(error, what: what())
  }
}
