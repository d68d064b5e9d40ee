extension CommandTable {
  /// The library: list, search, show, refresh; files into it.
  static let library = [
    CommandSpec(
      name: .libraryList, options: [.ids], summary: "all tracks of the server's library",
      details: """
        In natural order of the files' names. Comes from the listing that is kept on the disk; the
        first time the server is asked. library refresh, and listen by itself, renew it. A * marks
        what is in the cache.
        """,
      example: "blastoise library list --json", run: LibraryListCommand.run),
    CommandSpec(
      name: .librarySearch, operands: [.init(name: "WORDS", isRepeated: true)], options: [.ids],
      summary: "tracks that have all these words",
      details: """
        Looks in title, artist, album and file name, offline; each word counts from its beginning,
        case and accents don't. With --ids only the ids are printed, for commands that take - . To
        find nothing is no failure.
        """,
      example: "blastoise library search --ids daft punk | blastoise queue add -",
      run: LibrarySearchCommand.run),
    CommandSpec(
      name: .libraryShow, operands: [.init(name: "TRACK", isRepeated: true)],
      summary: "what is known of one track",
      details: """
        TRACK is an id, a unique beginning of its hash, @current, @3 or @last (a row of the queue),
        or words that match exactly one track.
        """,
      example: "blastoise library show around the world", run: LibraryShowCommand.run),
    CommandSpec(
      name: .libraryRefresh, summary: "ask the server for its library again",
      details: "Says how many tracks are new, gone and changed.",
      example: "blastoise library refresh", run: LibraryRefreshCommand.run),
    CommandSpec(
      name: .libraryPlay, operands: [.tracks],
      options: [.cached, .shuffle, .playbackMode] + OptionSpec.trackChoice.filter { $0 != .yes }
        + OptionSpec.listening,
      summary: "play tracks of the library here, in sync with nobody",
      details: """
        One TRACK is where it begins in the whole library; several, or the options, are all there
        is. Where a listener runs it leaves its room for it: next, prev, pause, seek and mode are
        then its own, and join leads back. Without one this plays as listen does, and needs no
        server for what is cached.
        """,
      example: "blastoise library play --album Discovery --cached", run: LibraryPlayCommand.run),
    CommandSpec(
      name: .upload, operands: [.init(name: "FILE", isRepeated: true)],
      summary: "files into the server's library",
      details: """
        Takes .mp3, .ogg, .flac, .wav, .m4a, .aac, .opus, .wma and .mp4. What the server would refuse
        is not sent. One failure does not keep the other files; the program then ends with the code
        of the first.
        """,
      example: "blastoise upload ~/Music/*.flac", run: UploadCommand.run),
  ]
}

extension OptionSpec {
  static let ids = OptionSpec(name: "ids", help: "print only the ids, one a line")
}
