import RoomClient
import RoomProtocol

/// `fetch list`: the imports the server lists, in whatever shape it does.
enum FetchListCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withRoomServer { session in
      try await Imports.check(on: session)
      let list = try await Imports.list(on: session)
      let jobs = list.jobs
      if list.droppedElements > 0 {
        context.console.note("\(counted(list.droppedElements, "import")) could not be read")
      }
      if context.isJSON {
        context.console.print(["imports": .list(jobs.map(\.json))])
      } else {
        for line in lines(jobs, on: context.console.terminal) { context.console.print(line) }
      }
      return .done
    }
  }

  private static func lines(_ jobs: [FetchJob], on terminal: Console.Terminal?) -> [String] {
    guard !jobs.isEmpty else { return ["no imports"] }
    let rows = jobs.map { job in
      [
        Printable.escaped(job.id?.rawValue ?? "-"),
        Printable.escaped(job.status ?? "-"),
        job.progress.map { "\(Int(max(0, min($0, 100))))%" } ?? "",
        Printable.escaped(job.title ?? job.url ?? "-")
          + (job.error.map { ": \(Printable.escaped($0))" } ?? ""),
      ]
    }
    return Columns(columns: [.word, .word, .number, .text], rows: rows).lines(on: terminal)
  }
}

/// `fetch cancel`: ends an import, or all.
enum FetchCancelCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let invocation = context.invocation
    guard invocation.operands.isEmpty == invocation.has(.all) else {
      throw Diagnostic.usage(
        invocation.has(.all) ? "--all and an import exclude each other" : "which import?",
        hint: "blastoise fetch list shows them; --all cancels all")
    }
    return try await context.withRoomServer { session in
      try await Imports.check(on: session)
      let jobs = try await Imports.list(on: session).jobs
      let open = jobs.filter { JobState($0).end == nil }
      if invocation.has(.all) {
        try await attempting("cannot cancel the imports") { () throws(RoomError) in
          try await session.api.cancelAllFetches()
        }
      }
      var wanted = open
      if let text = invocation.operands.first {
        let job = try find(text, in: open, orElse: jobs)
        guard let id = job.id else {
          throw Diagnostic(.notFound, "the server gives \(job.quotedName) no id to cancel it by")
        }
        try await attempting("cannot cancel \(job.quotedName)") { () throws(RoomError) in
          try await session.api.cancelFetch(id)
        }
        wanted = [job]
      }
      try await confirm(wanted, on: session)
      let names = wanted.map(\.quotedName).joined(separator: ", ")
      context.confirm(
        wanted.isEmpty ? "no import goes on" : "cancelled \(names)",
        json: ["cancelled": .list(wanted.map(\.json))])
      return .done
    }
  }

  /// The import that is meant: one that goes on, by whatever name, or one of that very id.
  private static func find(
    _ text: String, in open: [FetchJob], orElse all: [FetchJob]
  ) throws(Diagnostic) -> FetchJob {
    let quoted = "\"\(Printable.escaped(text))\""
    let lookup = NameLookup(
      text, in: open, id: { $0.id?.rawValue ?? "" }, name: { $0.title ?? $0.url ?? "" })
    switch lookup {
    case .found(let job): return job
    case .ambiguous(let hits):
      let names = hits.map { "\(Printable.escaped($0.id?.rawValue ?? "-"))  \($0.quotedName)" }
      throw Diagnostic(.ambiguous, "\(quoted) fits \(hits.count) imports", hint: candidates(names))
    case .missing:
      // What the list does not call over may be, and the server is the judge of it.
      if let job = all.first(where: { $0.id?.rawValue == text }) { return job }
      throw Diagnostic(
        .notFound, "no import \(quoted) goes on", hint: "blastoise fetch list shows all")
    }
  }

  /// Reads the list until the imports have ended in it or are gone; a server may take a moment.
  private static func confirm(_ wanted: [FetchJob], on session: ServerSession) async throws {
    let ids = Set(wanted.compactMap(\.id))
    for attempt in 0..<6 {
      if attempt > 0 { try await Task.sleep(for: .milliseconds(500)) }
      let going = try await Imports.list(on: session).jobs.filter { job in
        job.id.map { ids.contains($0) } == true && JobState(job).end == nil
      }
      if going.isEmpty { return }
    }
    throw Diagnostic(
      .unconfirmed, "cannot cancel the import", why: "the server was asked, but it goes on",
      hint: "guests may only listen; blastoise login signs in")
  }
}

extension Imports {
  /// The imports that the server lists.
  static func list(on session: ServerSession) async throws -> FetchJobList {
    try await attempting("cannot read the list of imports") { () throws(RoomError) in
      try await session.api.fetchJobs()
    }
  }
}

extension FetchJob {
  /// The title in quotes, fit for a terminal.
  var quotedName: String { "\"\(Printable.escaped(title ?? url ?? id?.rawValue ?? "?"))\"" }

  /// What programs read of it.
  var json: JSONValue {
    [
      "id": JSONValue(id?.rawValue), "title": JSONValue(title), "url": JSONValue(url),
      "status": JSONValue(status), "progress": JSONValue(progress), "error": JSONValue(error),
      "track_id": JSONValue(trackID?.rawValue),
    ]
  }
}
