extension CommandTable {
  /// Imports by address.
  static let fetch: [CommandSpec] = [
    CommandSpec(
      name: .fetch, operands: [.init(name: "URL")],
      options: [.toQueue, .next, .toPlaylist, .only, .yes, .noWatch],
      summary: "let the server import from an address",
      details: """
        Follows the import to its end; Ctrl-C stops watching, the import goes on. A list is shown
        and asked about first. `fetch list` and `fetch cancel` look after what goes on.
        """,
      example: "blastoise fetch https://example.org/song --next", run: FetchCommand.run),
    CommandSpec(
      name: .fetchList, summary: "the imports and how far they are",
      example: "blastoise fetch list", run: FetchListCommand.run),
    CommandSpec(
      name: .fetchCancel, operands: [.init(name: "ID", isRequired: false)], options: [.all],
      summary: "end an import, or all", details: "ID may be a title too, or a unique beginning.",
      example: "blastoise fetch cancel --all", run: FetchCancelCommand.run),
  ]
}
