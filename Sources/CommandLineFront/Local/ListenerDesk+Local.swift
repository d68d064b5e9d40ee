import Caching
import Control
import Listening
import RoomClient
import RoomProtocol

/// What the control socket offers of library mode (docs/control.md).
extension ListenerDesk {
  /// The code of a failure where the listener is in a room, and a transport verb is the room's.
  static let inRoom = "in_room"

  /// Plays tracks of the library; the room is left.
  func library(_ request: ControlRequest) async throws {
    try checkServer(request, await session.snapshot)
    let listing = await session.listing
    var tracks: [Track]
    if case .list(let ids)? = request["tracks"] {
      let ids = ids.compactMap(\.text).map { TrackID($0) }
      let known = try await listing.tracks(ids)
      // What the listing does not know may be on the disk all the same.
      tracks = ids.map { known[$0] ?? Track(id: $0) }
    } else {
      tracks = try await listing.tracks().filter(\.available)
    }
    if request["add"]?.truth == true {
      guard await session.addLocally(tracks) else { throw Self.failureInRoom }
    } else {
      let first = request["from"]?.text.map { TrackID($0) }
      let mode = request["mode"]?.text.map { PlaybackMode($0) } ?? .repeatAll
      guard let queue = LocalQueue(tracks, from: first, mode: mode) else {
        throw Diagnostic(.notFound, "the library is empty")
      }
      await session.playLocally(queue)
    }
    request.answer([("status", await status.description)])
  }

  /// Does a transport verb with the library that is played.
  func local(_ request: ControlRequest) async throws {
    let snapshot = await session.snapshot
    try checkServer(request, snapshot)
    guard snapshot.source == .library else { throw Self.failureInRoom }
    for action in try actions(request, snapshot) {
      guard await session.act(action) else { throw Self.failureInRoom }
    }
    request.answer([("status", await status.description)])
  }

  private func actions(
    _ request: ControlRequest, _ snapshot: ListeningSnapshot
  ) throws(Diagnostic) -> [LocalAction] {
    switch request["action"]?.text {
    case "play":
      guard request["row"] != nil else { return [.play] }
      return [.jump(try row(request, snapshot)), .play]
    case "pause": return [.pause]
    case "toggle": return [.toggle]
    case "next": return [.next]
    case "prev": return [.previous]
    case "jump": return [.jump(try row(request, snapshot))]
    case "seek": return [.seek(try place(request, snapshot))]
    case "mode":
      guard let name = request["mode"]?.text else { return [] }
      let current = snapshot.state?.playbackMode ?? .repeatAll
      let mode = name == "next" ? current.next : PlaybackMode(name)
      guard PlaybackMode.known.contains(mode) else {
        throw .usage("\"mode\" is once, repeat-all, repeat-one, shuffle or next")
      }
      return [.mode(mode)]
    default:
      throw .usage("\"action\" is play, pause, toggle, next, prev, jump, seek or mode")
    }
  }

  private func row(
    _ request: ControlRequest, _ snapshot: ListeningSnapshot
  ) throws(Diagnostic) -> Int {
    guard let text = request["row"]?.text else {
      throw .usage("\"row\" says which: a number from 1, @last, or words")
    }
    return try QueueRows(
      tracks: snapshot.queue ?? [], currentIndex: snapshot.state?.currentIndex ?? 0,
      list: "the list"
    ).index(of: text)
  }

  private func place(
    _ request: ControlRequest, _ snapshot: ListeningSnapshot
  ) throws(Diagnostic) -> Duration {
    guard let text = request["position"]?.text, let position = TimeText.position(text) else {
      throw .usage("\"position\" says where to: 90, 1:30, +15, -15 or 50%")
    }
    let now = snapshot.heard ?? Duration(wireSeconds: snapshot.state?.currentTimestamp ?? 0)
    guard
      let place = position.resolved(current: now, length: snapshot.state?.track?.length)
    else { throw .usage("the length of the track is not known: no per cent of it") }
    return place
  }

  private static var failureInRoom: ControlFailure {
    ControlFailure(inRoom, "the listener is in a room", exit: 69)
  }
}
