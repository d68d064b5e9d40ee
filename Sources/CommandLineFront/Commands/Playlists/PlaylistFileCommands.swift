import RoomClient
import RoomProtocol

/// `playlist export`: a playlist as m3u8.
enum PlaylistExportCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withPlaylists { reading in
      let playlist = try await reading.playlist(context.invocation.operands[0])
      let catalogue = try await reading.titles(of: playlist.trackIDs)
      let file = M3U(playlist, server: reading.server.description) { catalogue?[$0] }
      guard let path = context.invocation[.file], path != "-" else {
        if context.isJSON {
          context.console.print(
            playlist.json([
              "file": .null, "text": .text(file.text), "as_of": JSONValue(reading.asOf),
            ]))
        } else {
          // `print` ends the last line.
          context.console.print(String(file.text.dropLast()))
        }
        return .done
      }
      try await UsersFile.write(file.text, to: path)
      let count = counted(file.entries.count, "track")
      context.confirm(
        "exported \(playlist.quotedName) (\(count)) to \(Printable.escaped(path))",
        json: playlist.json([
          "file": .text(path), "text": .null, "as_of": JSONValue(reading.asOf),
        ]))
      return .done
    }
  }
}

/// `playlist import`: the tracks of an m3u8 file that the library has, into a playlist.
enum PlaylistImportCommand {
  /// What the lines of a file mean in a library.
  struct Findings {
    var found: [Track] = []
    /// The lines that mean nothing, or several things, with their numbers from 1.
    var lost: [(row: Int, entry: M3U.Entry, candidates: [Track])] = []

    init(_ file: M3U, in library: [Track], of server: String) {
      let matcher = M3UMatcher(library, of: server)
      for (index, entry) in file.entries.enumerated() {
        switch matcher.answer(entry) {
        case .track(let track): found.append(track)
        case .nothing: lost.append((index + 1, entry, []))
        case .several(let tracks): lost.append((index + 1, entry, tracks))
        }
      }
    }
  }

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let path = context.invocation.operands[0]
    try context.invocation.checkApart(.newName, .addTo)
    if let name = context.invocation[.newName] { try GivenName.check(name) }
    let file = try await PlaylistFile.read(path)
    guard !file.entries.isEmpty else {
      throw Diagnostic(.badFile, "\(named(path)) names no track")
    }
    let name = try context.invocation.has(.addTo) ? "" : self.name(context.invocation, file, path)
    return try await context.withRoomServer { session in
      let shelf = try await context.shelf(on: session)
      let target = try context.invocation[.addTo].map { text throws(Diagnostic) in
        try shelf.playlist(text)
      }
      if target == nil {
        try shelf.checkName(name, hint: "--name gives it another, --add adds to that one")
      }
      let findings = Findings(
        file, in: try await context.library(of: session.server, on: session).current(),
        of: session.server.description)
      guard !findings.found.isEmpty else {
        tell(findings, in: context)
        let isNowhere = findings.lost.allSatisfy(\.candidates.isEmpty)
        throw Diagnostic(
          .notFound,
          isNowhere
            ? "nothing of \(named(path)) is in the library"
            : "no row of \(named(path)) fits one track of the library alone",
          why: "no playlist was changed")
      }
      let ids = findings.found.map(\.id)
      var desk: PlaylistDesk
      if let target {
        desk = try await PlaylistDesk(target, on: session, context)
        try await desk.add(ids, at: nil)
      } else {
        desk = try await PlaylistCreateCommand.create(
          name, file.description, beside: shelf, on: session, context)
        try await desk.finishing { try await $0.add(ids, at: nil) }
      }
      return finish(desk.playlist, findings, of: file.entries.count, in: context)
    }
  }

  /// Says what has been imported and what has not.
  private static func finish(
    _ playlist: Playlist, _ findings: Findings, of count: Int, in context: CommandContext
  ) -> ExitStatus {
    let verb = context.invocation.has(.addTo) ? "to" : "as"
    let share = "\(findings.found.count) of \(counted(count, "track"))"
    context.confirm(
      "imported \(share) \(verb) the playlist \(playlist.quotedName)",
      json: playlist.json([
        "imported": .list(findings.found.map(JSONValue.init(track:))),
        "lost": .list(
          findings.lost.map { lost in
            [
              "row": JSONValue(lost.row), "title": JSONValue(lost.entry.title),
              "duration": JSONValue(lost.entry.duration), "place": .text(lost.entry.place),
              "candidates": .list(lost.candidates.map(JSONValue.init(track:))),
            ]
          }),
      ]))
    tell(findings, in: context)
    return findings.lost.isEmpty ? .done : .data
  }

  /// How many lines that mean nothing are told one by one; `--json` has them all.
  private static let told = 20

  private static func tell(_ findings: Findings, in context: CommandContext) {
    guard !context.isJSON else { return }
    for lost in findings.lost.prefix(told) {
      let name = Printable.escaped(Printable.truncated(lost.entry.name, to: 80))
      let several = lost.candidates.prefix(3).map(\.printableName).joined(separator: "; ")
      let why =
        lost.candidates.isEmpty
        ? "not in the library"
        : "fits \(lost.candidates.count) tracks of the library: \(several)"
      context.console.complain("blastoise: left out row \(lost.row), \"\(name)\": \(why)")
    }
    let more = findings.lost.count - told
    if more > 0 {
      context.console.complain("blastoise: left out \(counted(more, "more row"))")
    }
  }

  private static func name(
    _ invocation: Invocation, _ file: M3U, _ path: String
  ) throws(Diagnostic) -> String {
    if let name = invocation[.newName] ?? file.name { return name }
    guard path != "-" else {
      throw Diagnostic.usage(
        "the playlist on standard input has no name", hint: "--name gives it one")
    }
    return M3U.Entry(place: path).stem
  }

  private static func named(_ path: String) -> String {
    path == "-" ? "standard input" : Printable.escaped(path)
  }
}
