import RoomClient
import RoomProtocol

/// What is to become of what `fetch` imports, read from the command line.
struct ImportWish {
  /// The entries of a list that are wanted; nil for all.
  var only: ImportChoice?
  /// Whether the tracks go into the room's queue, and whether behind the current one.
  var queues = false
  var isNext = false
  /// The playlist they go into, made where there is none of that name.
  var playlist: String?
  /// Whether to see how it ends.
  var waits = true

  /// - Throws: `Diagnostic` of the code `usage` where the options exclude each other, or make no sense.
  init(_ invocation: Invocation) throws(Diagnostic) {
    if let text = invocation[.only] { only = try ImportChoice(text) }
    isNext = invocation.has(.next)
    queues = isNext || invocation.has(.toQueue)
    playlist = invocation[.toPlaylist]
    waits = !invocation.has(.noWatch)
    guard waits || !actsOnArrival else {
      throw .usage(
        "--no-wait leaves nobody to act on what arrives",
        hint: "leave out --queue, --next and --playlist, or --no-wait")
    }
    if let playlist, playlist.allSatisfy(\.isWhitespace) {
      throw .usage("a playlist needs a name")
    }
  }

  /// Whether something is to be done with the tracks.
  var actsOnArrival: Bool { queues || playlist != nil }
}
