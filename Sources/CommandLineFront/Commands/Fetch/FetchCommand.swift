import RoomClient
import RoomProtocol

/// `fetch`: asks the server to import from an address, and follows it to the end.
enum FetchCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let address = context.invocation.operands[0]
    guard !address.allSatisfy(\.isWhitespace) else {
      throw Diagnostic.usage("fetch needs an address", hint: "blastoise fetch https://...")
    }
    let wish = try ImportWish(context.invocation)
    return try await context.withRoomServer { session in
      try await Imports.check(on: session)
      // What there was before tells what came: asked for only where something depends on it.
      var arrival = try await ImportArrival(wish, on: session, context)
      guard
        let order = try await ImportOrder.place(address, wish, on: session, context)
      else { return .done }
      order.tellOfPlaylist(in: context)
      guard wish.waits else {
        order.sayThatItGoesOn(in: context)
        return .done
      }
      let items = try await ImportFollower(order, session, context).follow(wish)
      try await arrival.settle(items)
      return try await arrival.finish(order)
    }
  }
}

/// What all commands of imports have in common.
enum Imports {
  /// Checks that the server imports at all, before anything is asked of it.
  ///
  /// - Throws: `RoomError`; `Diagnostic` of the code `missing_program`.
  static func check(on session: ServerSession) async throws {
    _ = try await session.api.me()
    let support = try await session.api.status().status.ytdlp
    guard !support.enabled || !support.available else { return }
    throw Diagnostic(
      .missingProgram, "\(Printable.escaped(session.server.description)) imports nothing",
      why: support.enabled
        ? "yt-dlp is not installed there" : "imports by address are not switched on there",
      hint: "blastoise upload sends files of your own")
  }
}

/// What was asked of the server, and what it said to it.
struct ImportOrder {
  /// The address that was typed.
  var address: String
  /// The title of the list, nil for a single track.
  var listTitle: String?
  /// The imports, in the order of the list.
  var items: [ImportWatch.Item]
  /// The jobs the server listed before.
  var earlier: [FetchJob]
  /// The playlist into which the server puts what comes, where it says that it does.
  var keptIn: String?

  /// What it is about, fit for a terminal: a title, or how many tracks of which list.
  var summary: String {
    let title = Printable.escaped(listTitle ?? items.first?.title ?? address)
    return listTitle == nil ? "\"\(title)\"" : "\(counted(items.count, "track")) of \"\(title)\""
  }

  /// Asks for the import; of a list nothing is fetched before somebody has agreed.
  ///
  /// - Returns: nil where nobody has agreed.
  static func place(
    _ address: String, _ wish: ImportWish, on session: ServerSession, _ context: CommandContext
  ) async throws -> ImportOrder? {
    let earlier = (try? await session.api.fetchJobs().jobs) ?? []
    let what = "cannot import \(Printable.escaped(address))"
    let answer = try await asking(what, context) { () throws(RoomError) in
      try await session.api.fetch(address)
    }
    switch answer {
    case .single(let id, let title, _):
      if wish.only != nil { context.console.note("this is no list: --only has no meaning here") }
      let item = ImportWatch.Item(id: id, title: title ?? address, url: address)
      return ImportOrder(address: address, items: [item], earlier: earlier)
    case .playlist(let title, let list, _):
      if list.droppedElements > 0 {
        let entries = list.droppedElements == 1 ? "1 entry" : "\(list.droppedElements) entries"
        context.console.note("\(entries) of the list could not be read")
      }
      let entries = list.elements
      guard !entries.isEmpty else { throw Diagnostic(.notFound, what, why: "the list is empty") }
      let chosen = try wish.only?.indices(of: entries.count) ?? Array(entries.indices)
      show(title, entries, chosen, in: context)
      let name = Printable.escaped(title)
      guard
        try await context.agrees(to: "import \(counted(chosen.count, "track")) of \"\(name)\"")
      else { return nil }
      let wanted = chosen.map { entries[$0] }
      let receipt = try await asking(what, context) { () throws(RoomError) in
        try await session.api.confirmFetch(FetchConfirmation(playlistTitle: title, items: wanted))
      }
      return ImportOrder(
        address: address, listTitle: title, items: items(wanted, receipt.jobs), earlier: earlier,
        keptIn: receipt.playlistName)
    }
  }

  /// Asks the server; where that is cut short, says that it may do it all the same.
  private static func asking<Answer>(
    _ what: String, _ context: CommandContext, _ body: () async throws(RoomError) -> Answer
  ) async throws(Diagnostic) -> Answer {
    do throws(Diagnostic) {
      return try await attempting(what, body)
    } catch {
      if Task.isCancelled, !context.isJSON {
        context.console.complain(
          "blastoise: the server was asked, and may import it (blastoise fetch list shows it)")
      }
      throw error
    }
  }

  /// The imports of a list, with the jobs' ids where the answer connects them.
  private static func items(_ wanted: [FetchItem], _ jobs: [FetchJob]) -> [ImportWatch.Item] {
    wanted.enumerated().map { index, entry in
      let inOrder = jobs.count == wanted.count ? jobs[index] : nil
      let job = jobs.first { $0.url == entry.url } ?? inOrder
      return ImportWatch.Item(id: job?.id, title: entry.title ?? entry.url, url: entry.url)
    }
  }

  private static func show(
    _ title: String, _ entries: [FetchItem], _ chosen: [Int], in context: CommandContext
  ) {
    guard !context.isJSON else { return }
    let marked = Set(chosen)
    let rows = entries.prefix(100).enumerated().map { index, entry in
      [
        marked.contains(index) ? "+" : "-", String(index + 1),
        Printable.escaped(entry.title ?? entry.url),
      ]
    }
    context.console.note(Printable.escaped(title))
    let columns = Columns(columns: [.word, .number, .text], rows: rows)
    for line in columns.lines(on: context.console.errorTerminal) { context.console.note(line) }
    if entries.count > rows.count { context.console.note("and \(entries.count - rows.count) more") }
  }

  /// Says that the server does the rest, for those who do not wait.
  func sayThatItGoesOn(in context: CommandContext) {
    context.confirm(
      "the server imports \(summary); blastoise fetch list shows how far it is",
      json: json(items.map { $0.json(nil) }))
  }

  /// Says that nobody sees how the imports end: a line for people, for programs how far they are.
  func tellUnwatched(
    _ items: [ImportWatch.Item], _ wish: ImportWish, in context: CommandContext
  ) {
    guard !context.isJSON else {
      return context.console.print(json(items.map { $0.json(nil) }))
    }
    // After a failure of the server nobody knows.
    let goesOn = Task.isCancelled ? "the import goes on" : "the import may go on"
    let undone = wish.actsOnArrival ? ", but nothing is done with what comes" : ""
    context.console.complain(
      "blastoise: no longer watching; \(goesOn)\(undone) (blastoise fetch list shows it)")
  }

  /// Says where the server puts what comes.
  func tellOfPlaylist(in context: CommandContext) {
    guard let keptIn, !context.isJSON else { return }
    context.console.note("what comes goes into the playlist \"\(Printable.escaped(keptIn))\"")
  }

  /// What programs read of it, and what was done with what came.
  func json(_ imports: [JSONValue], _ done: [JSONValue.Member] = []) -> JSONValue {
    .object(
      [
        .init(key: "url", value: .text(address)), .init(key: "list", value: JSONValue(listTitle)),
        .init(key: "kept_in", value: JSONValue(keptIn)),
        .init(key: "imports", value: .list(imports)),
      ] + done)
  }
}

extension ImportWatch.Item {
  /// What programs read of it and of the track it became, where that is known.
  func json(_ track: Track?) -> JSONValue {
    let (result, error): (String, String?) =
      switch end {
      case nil: ("started", nil)
      case .done: ("done", nil)
      case .failed(let why): ("failed", why)
      case .cancelled: ("cancelled", nil)
      case .vanished: ("unknown", nil)
      }
    return [
      "id": JSONValue(id?.rawValue), "title": .text(title), "url": JSONValue(url),
      "result": .text(result), "error": JSONValue(error),
      "track": track.map(JSONValue.init(track:)) ?? .null,
    ]
  }
}
