extension CommandTable {
  /// The track cache: fill it, look at it, tend it.
  static let cache = [
    CommandSpec(
      name: .cacheAdd, operands: [.tracks],
      options: choice + [
        .ofLibrary, .follow, .parallel, .limitRate, .retry, .until, .pin, .dryRun,
      ],
      summary: "fetch tracks into the cache, however long it takes",
      details: """
        TRACK as in queue add; a whole id does even where the library does not know it. --queue is
        the queue of the room that is meant; --channel ROOM alone means that room's. Goes on where it
        was stopped, and waits while a track plays that is not whole yet. What does not fit is said
        first. Ends with 75 where something may still come, with 65 where the rest can't be had.
        """,
      example: "blastoise cache add --queue --retry forever --until 18:00",
      run: CacheAddCommand.run),
    CommandSpec(
      name: .cacheList, options: [.allServers],
      summary: "what is in the cache, used last first",
      details: "Shows the tracks of the server that is meant. Asks nobody.",
      example: "blastoise cache list", run: CacheListCommand.run),
    CommandSpec(
      name: .cacheShow, operands: [track], summary: "all that is known of one cached track",
      details: kept, example: "blastoise cache show around the world", run: CacheShowCommand.run),
    CommandSpec(
      name: .cachePath, operands: [track], summary: "the path of a cached track's file",
      details: """
        For other programs. The track counts as used. Ends with 66 where not all of it is here.
        """,
      example: "blastoise cache path around the world", run: CachePathCommand.run),
    CommandSpec(
      name: .cacheVerify, operands: [.tracks], options: choice + [.refetch],
      summary: "read cached files and compare them with their digests",
      details: """
        Without TRACK all of the server's. What does not match is set aside, and fetched anew with
        --refetch; otherwise the program ends with 65.
        """,
      example: "blastoise cache verify --refetch", run: CacheVerifyCommand.run),
    CommandSpec(
      name: .cachePin, operands: [.tracks], options: choice,
      summary: "keep tracks, however long they are not used", details: kept,
      example: "blastoise cache pin --album Discovery", run: CachePinCommand.run),
    CommandSpec(
      name: .cacheUnpin, operands: [.tracks], options: choice,
      summary: "let tracks go again when room is needed", details: kept,
      example: "blastoise cache unpin --album Discovery", run: CachePinCommand.run),
    CommandSpec(
      name: .cacheRemove, operands: [.tracks], options: choice + [.all],
      summary: "remove tracks from the cache",
      details: """
        TRACK and options choose among what is cached, offline. Asks above 50 tracks, and with --all.
        What plays just now stays. The session and the library's listing are not touched.
        """,
      example: "blastoise cache remove --album Discovery", run: CacheRemoveCommand.run),
    CommandSpec(
      name: .cachePrune, options: [.maxSize],
      summary: "remove what is not needed, and what exceeds the limit",
      details: """
        What killed programs have left goes first, then the tracks that were not used for longest.
        Pinned tracks and what is in use stay. Works with no byte free.
        """,
      example: "blastoise cache prune --max 2G", run: CachePruneCommand.run),
    CommandSpec(
      name: .cacheStats, summary: "how often the cache had what was played, by server",
      example: "blastoise cache stats", run: CacheStatsCommand.run),
  ]

  private static let choice: [OptionSpec] = [
    .album, .artist, .match, .ofPlaylist, .ofQueue, .yes,
  ]
  private static let track = CommandSpec.Operand(name: "TRACK", isRepeated: true)
  private static let kept = """
    TRACK is an id, a unique beginning of its hash, or words that fit only one track of the cache.
    Found offline.
    """
}

extension OptionSpec {
  static let allServers = OptionSpec(name: "all", help: "of all servers")
  static let refetch = OptionSpec(name: "refetch", help: "fetch anew what does not match")
  static let maxSize = OptionSpec(
    name: "max", placeholder: "SIZE", help: "what the cache may take afterwards: 2G, 500M, 0")
}
