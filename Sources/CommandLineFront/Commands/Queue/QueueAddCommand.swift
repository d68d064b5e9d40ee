import RoomClient
import RoomProtocol

/// `queue add`: tracks into the room's queue.
enum QueueAddCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let names = try await QueueTracks.names(context.invocation.operands)
    guard !(context.invocation.has(.next) && context.invocation.has(.at)) else {
      throw Diagnostic.usage("--next and --at exclude each other")
    }
    let references = [context.invocation[.at]].compactMap(\.self) + names.filter { $0.isReference }
    return try await QueueEditing.run(context, "add to the queue of", naming: references) { edit in
      let tracks = try await QueueTracks.chosen(names, edit)
      let index = try await edit.add(tracks)
      let rows =
        tracks.count == 1 ? "row \(index + 1)" : "rows \(index + 1)-\(index + tracks.count)"
      edit.report(
        "added \(titles(tracks)) to \(edit.room) at \(rows) \(edit.audience)",
        [.init("added", tracks)], row: index + 1)
    }
  }
}

extension QueueEditing {
  /// Adds tracks where `--next` or `--at` says, else at the end.
  ///
  /// - Returns: the index of the first of them.
  func add(_ tracks: [Track]) async throws -> Int {
    let place = try place(context.invocation)
    var wished = ids
    let index = place ?? wished.count
    wished.insert(contentsOf: tracks.map(\.id), at: index)
    try await apply([.add(tracks.map(\.id), insertAt: place)], wishing: wished)
    return index
  }

  /// Where to add: an index, or nil for the end.
  private func place(_ invocation: Invocation) throws(Diagnostic) -> Int? {
    if invocation.has(.next) {
      return rows.tracks.isEmpty ? nil : min(rows.currentIndex + 1, rows.tracks.count)
    }
    return try invocation[.at].flatMap { text throws(Diagnostic) in try rows.place(text) }
  }
}

/// `queue set`: other tracks in the place of the whole queue.
enum QueueSetCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let names = try await QueueTracks.names(context.invocation.operands)
    let references = names.filter { $0.isReference }
    return try await QueueEditing.run(context, "set the queue of", naming: references) { edit in
      let tracks = try await QueueTracks.chosen(names, edit)
      let wished = tracks.map(\.id)
      guard wished != edit.ids else {
        edit.report("the queue of \(edit.room) is that already", [.init("set", tracks)])
        return
      }
      // Whoever pipes tracks in has no hands free, and has said what is to be there.
      if !edit.rows.tracks.isEmpty, context.console.canAsk {
        let question = "replace the \(rowCount(edit.rows.tracks.count)) of \(edit.room)"
        guard try await context.agrees(to: question) else { return }
      }
      try await edit.apply([.set(wished)], wishing: wished)
      edit.report(
        "set the queue of \(edit.room) to \(titles(tracks)) \(edit.audience)",
        [.init("set", tracks)], row: 1)
    }
  }
}

/// The tracks that `queue add` and `queue set` are given.
enum QueueTracks {
  /// The operands, with the lines of standard input in the place of `-`.
  ///
  /// - Throws: `Diagnostic` where nothing is left.
  static func names(_ operands: [String]) async throws(Diagnostic) -> [String] {
    var names: [String] = []
    for operand in operands {
      guard operand == "-" else {
        names.append(operand)
        continue
      }
      for await line in LineReader.lines() where !line.isEmpty { names.append(line) }
    }
    guard !names.isEmpty else { throw .usage("no track on standard input") }
    return names
  }

  /// The tracks that are meant; all of them, or none.
  static func chosen(_ names: [String], _ edit: QueueEditing) async throws -> [Track] {
    let needsLibrary = !names.allSatisfy(\.isReference)
    let library = needsLibrary ? try await edit.session.api.library().elements : []
    let selector = TrackSelector(library: library, queue: edit.rows)
    var tracks: [Track] = []
    for name in names { tracks.append(try selector.track(name)) }
    return tracks
  }
}

extension String {
  /// Whether an argument names a row of the queue: `@current`, `@3`.
  fileprivate var isReference: Bool { TrackSelector.isReference(self) }
}
