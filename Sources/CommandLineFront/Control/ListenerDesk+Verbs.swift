import Control
import Listening
import RoomClient
import RoomProtocol

extension ListenerDesk {
  /// Does what a request asks for, and answers it.
  func answer(_ request: ControlRequest) async {
    do {
      try await act(on: request)
    } catch let failure as ControlFailure {
      request.fail(failure)
    } catch {
      request.fail(ControlFailure(Diagnostic(describing: error)))
    }
  }

  private func act(on request: ControlRequest) async throws {
    switch request.verb {
    case "status":
      try checkPlace(request, await session.snapshot)
      request.answer([("status", await status.description)])
    case "watch":
      try checkPlace(request, await session.snapshot)
      request.answer()
      watch(request.connection)
    case "events":
      request.answer()
      subscribe(request.connection, asText: request["text"]?.truth ?? false)
    case "follow": try await follow(request)
    case "act": try await wish(request)
    case "volume": try await volume(request)
    case "mute", "unmute":
      await session.setMuted(request.verb == "mute")
      await answerVolume(request)
    case "latency": try await latency(request)
    case "resync":
      guard await session.snapshot.source == .room else {
        throw Diagnostic(
          .conflict, "the library plays, in sync with nobody", hint: "blastoise join leads back")
      }
      await session.realign()
      request.answer([("status", await status.description)])
    case "library": try await library(request)
    case "local": try await local(request)
    case "join": try await join(request)
    case "session": try await followSession(request)
    case "stop":
      request.answer()
      stop()
    default:
      throw Diagnostic.usage(
        "this listener cannot \"\(Printable.escaped(request.verb))\"",
        hint: "blastoise may have been updated while it ran")
    }
  }

  // MARK: This box

  private func volume(_ request: ControlRequest) async throws(Diagnostic) {
    let before = await session.snapshot.volume
    if let value = try number(request, before: before, in: 0...100) {
      await session.setVolume(value)
    }
    await answerVolume(request)
  }

  private func answerVolume(_ request: ControlRequest) async {
    let snapshot = await session.snapshot
    request.answer([("volume", "\(snapshot.volume)"), ("muted", "\(snapshot.isMuted)")])
  }

  private func latency(_ request: ControlRequest) async throws(Diagnostic) {
    let before = await session.snapshot.latency.inMilliseconds
    if let value = try number(request, before: before, in: -10000...10000) {
      await session.setLatency(.milliseconds(value))
    }
    request.answer([("latency_ms", "\(await session.snapshot.latency.inMilliseconds)")])
  }

  /// The number that is asked for by `to` or by `by`; nil where neither is there.
  ///
  /// A step stops at the ends.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  private func number(
    _ request: ControlRequest, before: Int, in range: ClosedRange<Int>
  ) throws(Diagnostic) -> Int? {
    if let step = request["by"] {
      guard let step = step.integer, abs(step) <= 1_000_000 else {
        throw Diagnostic.usage("\"by\" takes a whole number")
      }
      return min(max(before + step, range.lowerBound), range.upperBound)
    }
    guard let value = request["to"] else { return nil }
    guard let value = value.integer, range.contains(value) else {
      throw Diagnostic.usage(
        "\"to\" takes a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  // MARK: The room

  private func join(_ request: ControlRequest) async throws {
    try checkServer(request, await session.snapshot)
    let name = request["room"] ?? .null
    guard name == .null || name.text != nil else {
      throw Diagnostic.usage("\"room\" takes the name of a room")
    }
    let room = try await session.join(name.text)
    let id = JSONValue.text(room.id.rawValue).description
    request.answer([
      ("channel_id", id), ("channel", JSONValue.text(room.name).description),
      ("status", await status.description),
    ])
  }

  private func follow(_ request: ControlRequest) async throws {
    let snapshot = await session.snapshot
    try checkServer(request, snapshot)
    guard let room = await session.heardRoom else {
      throw Diagnostic(.unreachable, "the listener is not in a room at the moment")
    }
    try checkRoom(request, snapshot)
    // As the server's own `me` says it.
    let identity = (try? WireJSON.encode(room.identity)) ?? Array("null".utf8)
    request.answer([
      ("server", JSONValue(snapshot.server?.description).description),
      ("channel_id", JSONValue.text(room.channel.id.rawValue).description),
      ("channel", JSONValue.text(room.channel.name).description),
      ("identity", String(decoding: identity, as: UTF8.self)),
    ])
    follow(request.connection, room, wantsQueue: request["queue"]?.truth ?? false)
  }

  /// The codes of failures where the listener is not at the server, or in the room, that is meant.
  static let atOtherServer = "other_server"
  private static let inOtherRoom = "other_room"

  /// Whether a failure says that what is meant is not where the listener is.
  static func isElsewhere(_ failure: ControlFailure) -> Bool {
    [atOtherServer, inOtherRoom].contains(failure.code)
  }

  /// Checks that server and room are ours where they are named.
  ///
  /// - Throws: `ControlFailure` of the codes `other_server` and `other_room`.
  private func checkPlace(
    _ request: ControlRequest, _ snapshot: ListeningSnapshot
  ) throws(ControlFailure) {
    try checkServer(request, snapshot)
    try checkRoom(request, snapshot)
  }

  /// Checks that the room that is named is the one we are in, where one is.
  ///
  /// - Throws: `ControlFailure` of the code `other_room`.
  private func checkRoom(
    _ request: ControlRequest, _ snapshot: ListeningSnapshot
  ) throws(ControlFailure) {
    guard let name = request["room"]?.text else { return }
    // What is meant must be looked up among all rooms: a beginning may fit several.
    guard case .found(let meant) = NameLookup(name, in: snapshot.channels),
      meant.id == snapshot.channel?.id
    else { throw ControlFailure(Self.inOtherRoom, "the listener is in another room", exit: 69) }
  }

  /// Checks that the server that is named is ours, where one is.
  ///
  /// - Throws: `ControlFailure` of the code `other_server`.
  func checkServer(
    _ request: ControlRequest, _ snapshot: ListeningSnapshot
  ) throws(ControlFailure) {
    guard let text = request["server"]?.text else { return }
    guard let meant = try? ServerAddress(text), let ours = snapshot.server, meant.isSame(as: ours)
    else {
      throw ControlFailure(
        Self.atOtherServer, "the listener is at another server",
        hint: "blastoise stop ends it; blastoise listen --server URL begins there", exit: 69)
    }
  }

  private func wish(_ request: ControlRequest) async throws {
    let action: ClientAction
    switch request["action"]?.text {
    case "pause": action = .pause
    case "unpause": action = .unpause
    case "seek":
      guard let place = request["timestamp"]?.number else {
        throw Diagnostic.usage("\"timestamp\" says where to, in seconds")
      }
      action = .seek(timestamp: place)
    case "jump":
      guard let index = request["index"]?.integer else {
        throw Diagnostic.usage("\"index\" says which row, from 0")
      }
      action = .jump(index: index)
    default:
      throw Diagnostic.usage("\"action\" is pause, unpause, seek or jump")
    }
    guard await session.wish(action) else {
      throw Diagnostic(.unreachable, "the listener is not connected to its server")
    }
    request.answer()
  }

  private func followSession(_ request: ControlRequest) async throws {
    let snapshot = await session.snapshot
    do {
      try checkServer(request, snapshot)
    } catch {
      return request.answer([("followed", "false")])
    }
    let user = try await session.followSession().map(JSONValue.init(user:)) ?? .null
    request.answer([("followed", "true"), ("user", user.description)])
  }
}

extension ControlFailure {
  /// A failure as it goes over the socket.
  init(_ diagnostic: Diagnostic) {
    self.init(
      diagnostic.code.rawValue, diagnostic.message, hint: diagnostic.hint,
      exit: Int(diagnostic.status.rawValue))
  }
}

extension Duration {
  /// The time in whole milliseconds.
  var inMilliseconds: Int { Int((inSeconds * 1000).rounded()) }
}
