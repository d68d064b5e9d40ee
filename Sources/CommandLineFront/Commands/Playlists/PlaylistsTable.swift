extension CommandTable {
  private static let playlist = CommandSpec.Operand(name: "PLAYLIST")
  private static let rows = CommandSpec.Operand(name: "ROWS", isRepeated: true)
  private static let trackWords = """
    One TRACK is an id, a unique beginning of its hash (6 digits and up), @current, @3 or @last
    (a row of the queue), words that match exactly one track of the library, or - for ids on
    standard input.
    """

  /// Playlists: one's own, and what others share.
  static let playlists: [CommandSpec] = [
    CommandSpec(
      name: .playlistList, summary: "your playlists, and what others share",
      example: "blastoise playlist list", run: PlaylistListCommand.run),
    CommandSpec(
      name: .playlistShow, operands: [playlist], summary: "a playlist with its tracks",
      details: "PLAYLIST is an id, a name, or a unique beginning; yours go before those of others.",
      example: "blastoise playlist show Evening", run: PlaylistShowCommand.run),
    CommandSpec(
      name: .playlistCreate,
      operands: [
        .init(name: "NAME"), .tracks,
      ],
      options: [.description, .isPublic] + OptionSpec.trackChoice, summary: "make a playlist",
      details: trackWords,
      example: "blastoise playlist create Evening @current", run: PlaylistCreateCommand.run),
    CommandSpec(
      name: .playlistEdit, operands: [playlist],
      options: [.newName, .description, .isPublic, .isPrivate],
      summary: "rename a playlist, describe it, publish it",
      example: "blastoise playlist edit Evening --name Later",
      run: PlaylistEditCommand.run),
    CommandSpec(
      name: .playlistDelete, operands: [playlist], options: [.yes], summary: "delete a playlist",
      details: "Asks before it does.", example: "blastoise playlist delete Evening --yes",
      run: PlaylistDeleteCommand.run),
    CommandSpec(
      name: .playlistAdd, operands: [playlist, .tracks],
      options: [.at] + OptionSpec.trackChoice,
      summary: "add tracks to a playlist", details: trackWords,
      example: "blastoise playlist add Evening \"around the bay\"", run: PlaylistAddCommand.run),
    CommandSpec(
      name: .playlistRemove, operands: [playlist, rows], summary: "remove rows from a playlist",
      details: "ROWS are 3, 3-5 or @last.", example: "blastoise playlist remove Evening 3-5",
      run: PlaylistRemoveCommand.run),
    CommandSpec(
      name: .playlistMove, operands: [playlist, rows], options: [.to],
      summary: "move rows within a playlist",
      details: "Afterwards the first of the ROWS stands at the row after --to.",
      example: "blastoise playlist move Evening 4-5 --to 1", run: PlaylistMoveCommand.run),
    CommandSpec(
      name: .playlistSet, operands: [playlist, .tracks],
      options: OptionSpec.trackChoice,
      summary: "put other tracks in the place of all",
      details: trackWords + "\nAsks on a terminal.",
      example: "blastoise playlist set Evening @current @last",
      run: PlaylistSetCommand.run),
    CommandSpec(
      name: .playlistQueue, operands: [playlist], options: [.next, .at, .revision],
      summary: "add a playlist's tracks to the room's queue",
      example: "blastoise playlist queue Evening --next", run: PlaylistQueueCommand.run),
    CommandSpec(
      name: .playlistShare, operands: [playlist], summary: "make a token others can read it by",
      details: """
        Prints the token, and the address that reads the playlist. Keep both as you keep keys.
        """,
      example: "blastoise playlist share Evening", run: PlaylistShareCommand.run),
    CommandSpec(
      name: .playlistUnshare, operands: [playlist], summary: "take the token away",
      example: "blastoise playlist unshare Evening", run: PlaylistUnshareCommand.run),
    CommandSpec(
      name: .playlistOpen, operands: [.init(name: "TOKEN")],
      summary: "show what somebody shares by a token",
      details: "TOKEN may be the whole address; that names the server too.",
      example: "blastoise playlist open qk3vzt", run: PlaylistOpenCommand.run),
    CommandSpec(
      name: .playlistCopy, operands: [.init(name: "TOKEN")], options: [.newName],
      summary: "copy what somebody shares to a playlist of yours",
      example: "blastoise playlist copy qk3vzt --name Borrowed", run: PlaylistCopyCommand.run),
    CommandSpec(
      name: .playlistExport, operands: [playlist], options: [.file],
      summary: "write a playlist as m3u8",
      details: """
        Each entry is the address of the track on the server, so that other players can play the
        file and import finds every track again.
        """,
      example: "blastoise playlist export Evening --output evening.m3u8",
      run: PlaylistExportCommand.run),
    CommandSpec(
      name: .playlistImport, operands: [.init(name: "FILE")], options: [.newName, .addTo],
      summary: "make a playlist of an m3u8 file",
      details: """
        Finds the tracks in the library by id, by title and length, or by the name of the file.
        What is not found, or is several, is left out; the first 20 of it are told, with --json all,
        and the end is 65. FILE may be -.
        """,
      example: "blastoise playlist import evening.m3u8", run: PlaylistImportCommand.run),
  ]
}
