import Platform
import RoomClient
import RoomProtocol
import RoomSync

extension CommandContext {
  /// Does something with the server that is meant, and ends the connection.
  ///
  /// The first request makes a guest's session where guests are allowed and there is none; an
  /// address that has moved to https is followed and said. What the server changed in the session
  /// is kept.
  ///
  /// - Throws: what `body` throws, and what connecting throws.
  func withServer<Result>(
    _ body: (ServerSession) async throws -> Result
  ) async throws -> Result {
    let session = try await connect()
    do {
      let result = try await body(greeted(session))
      // A session that can't be kept is still good for this command.
      try? await session.save()
      await session.end()
      return result
    } catch {
      try? await session.save()
      await session.end()
      throw error
    }
  }

  private func greeted(_ session: ServerSession) async throws -> ServerSession {
    guard !session.server.isSecure else { return session }
    guard let moved = try await session.api.status().movedTo else { return session }
    console.note("the server is at \(moved) now")
    return session.moved(to: moved)
  }

  /// The room that is meant: `--channel`, else the server's default, else its first.
  ///
  /// - Throws: `RoomError`; `Diagnostic` where there is no such room, or several.
  func room(on session: ServerSession) async throws -> ChannelInfo {
    // Where guests are allowed this makes a session; later requests share it.
    _ = try await session.api.me()
    let channels = try await session.api.channels().elements
    guard let wanted = invocation[.channel] else {
      guard let room = channels.first(where: \.isDefault) ?? channels.first else {
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

  /// Joins the room that is meant for a moment, and waits for its state.
  func withVisit<Result>(
    wantsQueue: Bool, _ body: (ServerSession, RoomVisit) async throws -> Result
  ) async throws -> Result {
    try await withServer { session in
      let visit = RoomVisit(try await room(on: session), in: session, wantsQueue: wantsQueue)
      try await visit.arrive()
      return try await body(session, visit)
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
