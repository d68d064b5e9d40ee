import RoomClient
import RoomProtocol

/// `queue list`: the room's rows, and the revision that edits can be bound to.
enum QueueListCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withVisit(wantsQueue: true) { session, visit in
      let rows = try visit.rows
      let cached = await context.cachedIDs(of: session.server)
      if context.isJSON {
        context.console.print(json(rows, visit.picture, cached))
      } else {
        let listing = QueueListing(
          rows: rows, cached: cached, terminal: context.console.terminal)
        // Thousands of lines are one write.
        context.console.print(listing.lines.joined(separator: "\n"))
        ListingMemory(context, session, visit.channel.id)?.remember(rows.revision)
      }
      return .done
    }
  }

  private static func json(
    _ rows: QueueRows, _ room: RoomPicture, _ cached: Set<TrackID>
  ) -> JSONValue {
    let list = rows.tracks.enumerated().map { index, track -> JSONValue in
      [
        "row": .integer(Int64(index + 1)), "index": .integer(Int64(index)),
        "id": .text(track.id.rawValue), "title": .text(track.displayTitle),
        "artist": JSONValue(track.artist), "album": JSONValue(track.album),
        "duration": JSONValue(track.duration), "available": .bool(track.available),
        "current": .bool(index == rows.currentIndex),
        "cached": .bool(cached.contains(track.id)),
      ]
    }
    return [
      "channel_id": .text(room.id.rawValue), "channel": .text(room.name),
      "rev": .text(rows.revision), "length": .integer(Int64(rows.tracks.count)),
      "current_row": JSONValue(rows.tracks.isEmpty ? nil : rows.currentIndex + 1),
      "rows": .list(list),
    ]
  }
}

/// A queue as lines; pure.
struct QueueListing {
  var rows: QueueRows
  /// The tracks that are in the cache.
  var cached: Set<TrackID> = []
  /// Nil where the lines go to a file or a program: then all rows are whole.
  var terminal: Console.Terminal?

  /// The rows that are shown: all, or as many around the current one as the terminal holds.
  var window: Range<Int> {
    let count = rows.tracks.count
    guard let terminal, count > max(5, terminal.rows - 4) else { return 0..<count }
    let height = max(5, terminal.rows - 4)
    let start = min(max(0, rows.currentIndex - height / 3), count - height)
    return start..<(start + height)
  }

  /// The lines, with what is left out and the revision at the end.
  var lines: [String] {
    let window = window
    let numbers = String(rows.tracks.count).count
    var lines = window.map { line($0, numbers) }
    if window.lowerBound > 0 { lines.insert("  ... \(window.lowerBound) rows before", at: 0) }
    let after = rows.tracks.count - window.upperBound
    if after > 0 { lines.append("  ... \(after) rows after") }
    if rows.tracks.isEmpty { lines.append("the queue is empty") }
    return lines + ["rev \(rows.revision)"]
  }

  private func line(_ index: Int, _ numbers: Int) -> String {
    let track = rows.tracks[index]
    let mark = index == rows.currentIndex ? ">" : " "
    let number = Printable.padded(String(index + 1), to: numbers, alignment: .right)
    let length = Printable.padded(TimeText.text(track.length), to: 6, alignment: .right)
    let name = track.printableName + (track.available ? "" : " (not available)")
    let kept = Printable.padded(track.mark(cached), to: 1)
    let head = "\(mark) \(number)  \(length) \(kept)"
    guard let terminal else { return head + name }
    let room = terminal.columns - head.count
    if room >= 12 { return head + Printable.truncated(name, to: room) }
    // On a narrow terminal the titles matter more than how long they are.
    let short = "\(mark) \(number) \(kept)"
    return short + Printable.truncated(name, to: max(4, terminal.columns - short.count))
  }
}
