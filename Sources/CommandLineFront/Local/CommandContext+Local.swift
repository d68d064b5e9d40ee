import Control
import RoomClient
import RoomProtocol

/// Library mode as commands meet it: a listener that has left its room takes the transport verbs.
extension CommandContext {
  /// Lets the running listener do something with the library that it plays.
  ///
  /// - Parameters:
  ///   - action: what, as docs/control.md names it.
  ///   - arguments: what with.
  ///   - isLook: whether nothing is changed: what is said is then the result.
  ///   - text: what to say of it, by the status afterwards.
  /// - Returns: nil where a room is meant: one is named, no listener runs, or it is in a room.
  /// - Throws: `ControlError`; `Diagnostic` where it can't be done.
  func locally(
    _ action: String, _ arguments: [JSONValue.Member] = [], isLook: Bool = false,
    say text: (JSONValue) -> String
  ) async throws -> ExitStatus? {
    // A room of the environment is where the listener has come from.
    let namesRoom = invocation.origins[OptionSpec.channel.name]?.hasPrefix("--") == true
    guard !namesRoom, let client = try await listener() else { return nil }
    var request = [JSONValue.Member("action", .text(action))] + arguments
    if isGiven(.server) { request.append(.init("server", .text(try serverAddress.description))) }
    let answer = try await client.ask(JSONValue(verb: "local", request))
    if let failure = ControlFailure(answer: answer) {
      guard [ListenerDesk.inRoom, ListenerDesk.atOtherServer].contains(failure.code) else {
        throw Diagnostic(failure)
      }
      idleClient.leave(client)
      return nil
    }
    let status = answer["status"]
    if isLook {
      present(text(status), json: status)
    } else {
      confirm("\(text(status)) (not in sync with anyone)", json: status)
    }
    return .done
  }

  /// The track that the running listener plays from the library; nil where it plays none, or is at
  /// another server.
  func localTrack(of server: ServerAddress) async throws -> Track? {
    guard let status = try await listenerStatus(at: server), status["source"].text == "library",
      let id = status["track"]["id"].text
    else { return nil }
    let track = status["track"]
    return Track(
      id: TrackID(id), title: track["title"].text, artist: track["artist"].text,
      album: track["album"].text, duration: track["duration"].number)
  }
}

/// Words for what a listener plays from the library.
enum LocalText {
  /// What plays now: `playing the library: "Night Ferry"`.
  static func playing(_ status: JSONValue) -> String { "playing the library\(title(status))" }

  /// Whether it plays or is paused.
  static func state(_ status: JSONValue) -> String {
    status["state"].text == "paused" ? "paused the library" : playing(status)
  }

  /// Where in the list it is.
  static func row(_ status: JSONValue) -> String {
    "the library is at row \(StatusText.field("row", status))\(title(status))"
  }

  /// Where in the track it is.
  static func place(_ status: JSONValue) -> String {
    let (place, length) = (
      StatusText.field("elapsed", status), StatusText.field("duration", status)
    )
    return "the library is at \(place) of \(length)"
  }

  private static func title(_ status: JSONValue) -> String {
    let title = StatusText.field("title", status)
    return title.isEmpty ? "" : ": \"\(title)\""
  }
}
