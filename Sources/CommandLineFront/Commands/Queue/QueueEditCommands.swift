import RoomClient
import RoomProtocol

/// `queue add`: tracks into the room's queue.
enum QueueAddCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let names = await expanded(context.invocation.operands)
    guard !names.isEmpty else { throw Diagnostic.usage("no track on standard input") }
    guard !(context.invocation.has(.next) && context.invocation.has(.at)) else {
      throw Diagnostic.usage("--next and --at exclude each other")
    }
    return try await context.withVisit(wantsQueue: true) { session, visit in
      let rows = try visit.rows
      try rows.checkRevision(context.invocation[.revision])
      let place = try place(context.invocation, rows)
      let needsLibrary = !names.allSatisfy(TrackSelector.isReference)
      let library = needsLibrary ? try await session.api.library().elements : []
      let selector = TrackSelector(library: library, queue: rows)
      var tracks: [Track] = []
      for name in names { tracks.append(try selector.track(name)) }
      let edit = QueueEdit.add(tracks.map(\.id), insertAt: place)
      let row = (place ?? rows.tracks.count) + 1
      let room = visit.picture.title
      try await visit.edit(edit, on: session, what: "cannot add to the queue of \(room)") { ids in
        ids.insert(contentsOf: tracks.map(\.id), at: row - 1)
      }
      let titles = tracks.map(\.quotedName).joined(separator: ", ")
      context.confirm(
        "added \(titles) to \(room) at row \(row) \(visit.picture.audience)",
        json: visit.editJSON(["added": .list(tracks.map(JSONValue.init(track:)))], row: row))
      return .done
    }
  }

  /// Where to add: an index, or nil for the end.
  private static func place(
    _ invocation: Invocation, _ rows: QueueRows
  ) throws(Diagnostic) -> Int? {
    if invocation.has(.next) {
      return rows.tracks.isEmpty ? nil : min(rows.currentIndex + 1, rows.tracks.count)
    }
    guard let text = invocation[.at] else { return nil }
    // The row behind the last is a place too: the end.
    if Int(text) == rows.tracks.count + 1 { return nil }
    guard let index = try rows.row(text) else {
      throw .usage("--at takes a row, not \"\(Printable.escaped(text))\"")
    }
    return index
  }

  /// The operands, with the lines of standard input in the place of `-`.
  private static func expanded(_ operands: [String]) async -> [String] {
    var names: [String] = []
    for operand in operands {
      guard operand == "-" else {
        names.append(operand)
        continue
      }
      for await line in LineReader.lines() where !line.isEmpty { names.append(line) }
    }
    return names
  }
}

/// `queue remove`: rows out of the room's queue.
enum QueueRemoveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withVisit(wantsQueue: true) { session, visit in
      let rows = try visit.rows
      try rows.checkRevision(context.invocation[.revision])
      let indices = try rows.indices(of: context.invocation.operands)
      let tracks = indices.map { rows.tracks[$0] }
      let room = visit.picture.title
      // Highest first: read one by one or as a set, the result is the same (protocol.md 4).
      let edit = QueueEdit.remove(indices.reversed())
      let what = "cannot remove from the queue of \(room)"
      try await visit.edit(edit, on: session, what: what) { ids in
        for index in indices.reversed() { ids.remove(at: index) }
      }
      let titles = tracks.map(\.quotedName).joined(separator: ", ")
      context.confirm(
        "removed \(titles) from \(room) \(visit.picture.audience)",
        json: visit.editJSON(["removed": .list(tracks.map(JSONValue.init(track:)))], row: nil))
      return .done
    }
  }
}

extension QueueRows {
  /// Checks that the queue is still the one an edit was meant for.
  ///
  /// - Throws: `Diagnostic` of the code `conflict`.
  func checkRevision(_ wanted: String?) throws(Diagnostic) {
    guard let wanted, wanted != revision else { return }
    throw Diagnostic(
      .conflict, "the queue has changed", why: "it is revision \(revision) now",
      hint: "blastoise queue list shows it")
  }
}

extension RoomVisit {
  /// Edits the queue and waits until the room's own queue is the wished one.
  func edit(
    _ edit: QueueEdit, on session: ServerSession, what: String,
    expecting change: (inout [TrackID]) -> Void
  ) async throws {
    var expected = queue?.map(\.id) ?? []
    change(&expected)
    try await attempting(what) { () throws(RoomError) in
      try await session.api.editQueue(edit, in: channel.id)
    }
    try await confirm(orElse: what) { $0.queue?.map(\.id) == expected }
  }

  /// What an edit has done, for programs.
  func editJSON(_ done: JSONValue, row: Int?) -> JSONValue {
    guard case .object(let members) = done else { return done }
    let rows = QueueRows(tracks: queue ?? [], currentIndex: state?.currentIndex ?? 0)
    return .object(
      [
        .init(key: "channel_id", value: .text(channel.id.rawValue)),
        .init(key: "channel", value: .text(picture.name)),
      ] + members + [
        .init(key: "row", value: JSONValue(row)),
        .init(key: "length", value: .integer(Int64(rows.tracks.count))),
        .init(key: "rev", value: .text(rows.revision)),
      ])
  }
}
