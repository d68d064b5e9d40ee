import RoomClient
import RoomProtocol

/// One edit of a room's queue, from the rows as they are to the report of what was done.
///
/// Threading: one task, that of the visit.
struct QueueEditing {
  let context: CommandContext
  let session: ServerSession
  let visit: RoomVisit
  /// The rows before the edit.
  let rows: QueueRows
  /// Their ids.
  let ids: [TrackID]
  /// What could not be done otherwise: `cannot add to the queue of Lobby`.
  private let what: String

  /// Visits the room that is meant and checks that its queue is the one the edit is for.
  ///
  /// - Parameters:
  ///   - context: the command.
  ///   - wish: what is to be done: `add to the queue of`.
  ///   - references: the arguments that name rows; numbers bind the edit to what was listed.
  ///   - body: the edit.
  /// - Returns: that it was done.
  /// - Throws: what `body` throws; `RoomError`, `Diagnostic`.
  static func run(
    _ context: CommandContext, _ wish: String, naming references: [String] = [],
    _ body: (QueueEditing) async throws -> Void
  ) async throws -> ExitStatus {
    try checkRevision(of: context.invocation)
    return try await context.withRoomServer { session in
      try await run(context, on: session, wish, naming: references, body)
      return .done
    }
  }

  /// Checks that `--rev`, where it is given, may be a revision, before anybody is asked.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  static func checkRevision(of invocation: Invocation) throws(Diagnostic) {
    if let revision = invocation[.revision] { try QueueRows.checkIsRevision(revision) }
  }

  /// Does the same on a connection that stands already.
  static func run(
    _ context: CommandContext, on session: ServerSession, _ wish: String,
    naming references: [String] = [], _ body: (QueueEditing) async throws -> Void
  ) async throws {
    let visit = try await context.visit(on: session, wantsQueue: true, wish: wish)
    let rows = try visit.rows
    let editing = QueueEditing(
      context: context, session: session, visit: visit, rows: rows, ids: rows.tracks.map(\.id),
      what: "cannot \(wish) \(visit.picture.title)")
    try editing.checkRevision(references)
    try await body(editing)
  }

  /// The room's name, fit for a terminal.
  var room: String { visit.picture.title }
  /// Whom the edit concerns.
  var audience: String { visit.picture.audience }

  // MARK: - What the edit is bound to

  /// What was listed on this terminal; nil where nobody looks at a listing.
  private var memory: ListingMemory? { ListingMemory(context, session, visit.channel.id) }

  /// The revision that the command line binds the edit to.
  private var revision: String? { context.invocation[.revision]?.lowercased() }

  private func checkRevision(_ references: [String]) throws(Diagnostic) {
    if let revision { return try rows.checkRevision(revision) }
    guard Self.nameNumbers(references), let listed = memory?.recall() else { return }
    try rows.checkRevision(listed, since: " since it was listed")
  }

  /// Whether one of the references is a number, which means another row when rows come and go.
  static func nameNumbers(_ references: [String]) -> Bool {
    references.contains { reference in
      reference.split(separator: "-").contains { $0 != "@current" && $0 != "@last" }
    }
  }

  // MARK: - The edit

  /// The same edit of the rows as they are now: finding tracks and asking take their time.
  ///
  /// - Throws: `Diagnostic` of the code `conflict` where it is bound to a revision that is gone.
  func renewed() async throws -> QueueEditing {
    try await visit.catchUp()
    let rows = try visit.rows
    try rows.checkRevision(revision)
    return QueueEditing(
      context: context, session: session, visit: visit, rows: rows, ids: rows.tracks.map(\.id),
      what: what)
  }

  /// Sends the edit and waits until the room's own queue shows it.
  ///
  /// - Parameters:
  ///   - edits: the requests, in turn.
  ///   - wished: the ids as they are to be afterwards.
  /// - Throws: `Diagnostic`; of the code `conflict`, and nothing is sent, where somebody else has
  ///   changed the rows that are named; where a part was done, that is said.
  func apply(_ edits: [QueueEdit], wishing wished: [TrackID]) async throws {
    let wish = QueueWish(before: ids, edits: edits, wished: wished)
    let last = try await renewed()
    guard wish.holds(in: last.ids) else { throw last.rows.conflict(since: " meanwhile") }
    do {
      let length = try await send(edits)
      try await confirm(wish, since: last.ids, length: length)
    } catch let failure as Diagnostic where failure.code == .unconfirmed {
      throw instead(of: wished) ?? failure
    } catch let failure as Diagnostic where [.timeout, .unreachable].contains(failure.code) {
      // The answer is lost, the edit perhaps not.
      guard edits.count == 1, (try? await confirm(wish, since: last.ids, length: nil)) != nil else {
        var failure = failure
        failure.hint = "blastoise queue list shows whether it was done all the same"
        throw failure
      }
    }
    remember(wished)
  }

  /// Sends the requests; how many rows the server says there are after them.
  private func send(_ edits: [QueueEdit]) async throws(Diagnostic) -> Int? {
    var length: Int?
    for (index, edit) in edits.enumerated() {
      do throws(RoomError) {
        length = try await session.api.editQueue(edit, in: visit.channel.id)
      } catch {
        var failure = Diagnostic(error, what: index == 0 ? what : "only a part was done: \(what)")
        if index > 0 { failure.hint = "blastoise queue list shows the queue as it is" }
        throw failure
      }
    }
    return length
  }

  /// Waits until the room's queue shows the edit, others' edits beside it or not.
  private func confirm(_ wish: QueueWish, since ids: [TrackID], length: Int?) async throws {
    var last = ids
    do {
      try await visit.confirm(orElse: what) { room in
        guard let now = room.queue?.map(\.id), now != last else { return false }
        defer { last = now }
        return wish.isDone(in: now, since: last, length: length)
      }
    } catch let failure as Diagnostic where failure.code == .unconfirmed && last == wish.wished {
      // The server counts otherwise.
    }
  }

  /// What the queue is instead of the wished one; nil where it is still the old one.
  private func instead(of wished: [TrackID]) -> Diagnostic? {
    guard let now = try? visit.rows, now.tracks.map(\.id) != ids else { return nil }
    let count = now.tracks.count
    let other = zip(now.tracks, wished).enumerated().first { $1.0.id != $1.1 }
    let difference =
      other.map { "row \($0.offset + 1) is \($0.element.0.quotedName)" }
      ?? "it has \(counted(count, "row")), not \(wished.count)"
    return Diagnostic(
      .unconfirmed, what, why: "the queue is another than wished: \(difference)",
      hint: "somebody else may have changed it: blastoise queue list shows it")
  }

  /// After an edit of one's own, and of nobody else, the rows that were listed are known to have moved.
  private func remember(_ wished: [TrackID]) {
    guard let memory, memory.recall() == rows.revision, let now = try? visit.rows,
      now.tracks.map(\.id) == wished
    else { return }
    memory.remember(now.revision)
  }

  // MARK: - The report

  /// Says what was done: in words, and for programs with the queue as it is.
  ///
  /// - Parameters:
  ///   - text: the words.
  ///   - done: what programs read of it.
  ///   - row: the first row it concerns, where there is one.
  func report(_ text: String, _ done: [JSONValue.Member], row: Int? = nil) {
    let now = QueueRows(
      tracks: visit.queue ?? [], currentIndex: visit.state?.currentIndex ?? 0)
    let json = JSONValue.object(
      [
        .init(key: "channel_id", value: .text(visit.channel.id.rawValue)),
        .init(key: "channel", value: .text(visit.picture.name)),
      ] + done + [
        .init(key: "row", value: JSONValue(row)),
        .init(key: "length", value: .integer(Int64(now.tracks.count))),
        .init(key: "rev", value: .text(now.revision)),
      ])
    context.confirm(text, json: json)
  }
}

extension ListingMemory {
  /// The memory of a room, where a terminal shows its listings; nil elsewhere.
  init?(_ context: CommandContext, _ session: ServerSession, _ channel: ChannelID) {
    guard context.console.terminal != nil else { return nil }
    self.init(folder: context.stateFolder, server: "\(session.server)", channel: channel)
  }
}

extension JSONValue.Member {
  /// Tracks, as programs read what was done to them.
  init(_ key: String, _ tracks: [Track]) {
    self.init(key: key, value: .list(tracks.map(JSONValue.init(track:))))
  }
}

/// The titles of a few tracks, in quotes; of many the first ones and how many more there are.
func titles(_ tracks: [Track]) -> String {
  let shown = tracks.count > 6 ? 5 : tracks.count
  let names = tracks.prefix(shown).map(\.quotedName).joined(separator: ", ")
  return tracks.count > shown ? "\(names) and \(tracks.count - shown) more" : names
}

/// Which rows so many take from an index on: `row 3`, `rows 3-5`.
func rowRange(_ index: Int, _ count: Int) -> String {
  count == 1 ? "row \(index + 1)" : "rows \(index + 1)-\(index + count)"
}
