import Glibc
import Platform
package import RoomProtocol
import Storage
import Synchronization

/// A server's library as it was when the server was last asked, kept on the disk and searched there.
///
/// Every answer comes from the disk, at once and without the network; `refresh` alone asks the
/// server. Several processes may use and refresh one listing: readers see the old or the new one.
///
/// ```swift
/// let listing = LibraryListing(folder: cacheFolder, server: address)
/// if try await listing.stamp() == nil { try await listing.refresh(by: fetcher) }
/// let tracks = try await listing.search("around the wor")
/// ```
///
/// Threading: an actor on a queue of its own, as it works on files.
package actor LibraryListing {
  private let executor = QueueExecutor(label: "listing")
  private let folder: String
  let path: String
  private let server: String
  let now: @Sendable () -> Double
  private var opened: ListingDatabase?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// The listing of a server; its file is opened with the first question.
  ///
  /// - Parameters:
  ///   - folder: the cache's folder; see `TrackCache.defaultFolder`.
  ///   - server: the server's base URL.
  ///   - now: the wall clock, in seconds since 1970.
  package init(
    folder: String, server: String, now: @escaping @Sendable () -> Double = wallTime
  ) {
    self.folder = "\(folder)/libraries"
    self.server = server
    self.now = now
    let digest = ContentHash.digest(of: server.utf8).hex
    path = "\(self.folder)/\(digest.prefix(32)).db"
  }

  var database: ListingDatabase {
    get throws {
      if let opened { return opened }
      try Folder.create(folder)
      let database = try ListingDatabase(path: path)
      opened = database
      return database
    }
  }

  /// Whether a listing is on the disk; unlike the other questions this one makes none.
  package nonisolated var isKept: Bool { access(path, F_OK) == 0 }

  /// When the listing was read; nil before it ever was.
  ///
  /// - Returns: the times and the number of tracks.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func stamp() throws -> LibraryStamp? { try database.stamp() }

  // MARK: - Looking up

  /// All tracks, in the natural order of their files' names.
  ///
  /// - Returns: all there are, with those that are not available.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func tracks() throws -> [Track] { try select() }

  /// The tracks of these ids, each once; those that are not there are left out.
  ///
  /// - Parameter ids: what to look for.
  /// - Returns: by id.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func tracks(_ ids: some Sequence<TrackID> & Sendable) throws -> [TrackID: Track] {
    let statement = try database.connection.prepare(
      "SELECT \(ListingDatabase.columns) FROM track WHERE id = ?")
    var found: [TrackID: Track] = [:]
    for id in ids where found[id] == nil {
      defer { statement.reset() }
      try statement.bind(ListingDatabase.stored(id), at: 1)
      if try statement.step() { found[id] = ListingDatabase.track(statement) }
    }
    return found
  }

  /// The tracks whose hash begins with these digits.
  ///
  /// - Parameter digits: lower-case hexadecimal digits, without the hash's name.
  /// - Returns: in natural order.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func tracks(hashBeginning digits: String) throws -> [Track] {
    guard let range = ListingDatabase.range(ofHash: digits) else { return [] }
    // An id of another length is kept as its text, with or without the hash's name.
    return try select(
      """
      WHERE (id >= ?1 AND id < ?2) OR (id >= ?3 AND id < ?3 || 'g')
        OR (id >= 'sha256:' || ?3 AND id < 'sha256:' || ?3 || 'g')
      """, range.first, range.end, digits)
  }

  /// The tracks of an album, an artist, or of an artist on an album; whole names, as they are written.
  ///
  /// - Parameters:
  ///   - album: the album's name; nil for any.
  ///   - artist: the artist's name; nil for any.
  /// - Returns: in natural order.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func tracks(album: String?, artist: String?) throws -> [Track] {
    try select(
      """
      WHERE (?1 IS NULL OR album = ?1) AND (?2 IS NULL OR artist = ?2)
      """, album, artist)
  }

  /// The names of all albums, each once, in natural order.
  ///
  /// - Returns: as they are written.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func albums() throws -> [String] {
    try names("SELECT DISTINCT album FROM track WHERE album IS NOT NULL ORDER BY album")
  }

  /// The names of all artists, each once, in natural order.
  ///
  /// - Returns: as they are written.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func artists() throws -> [String] {
    try names("SELECT DISTINCT artist FROM track WHERE artist IS NOT NULL ORDER BY artist")
  }

  private func names(_ sql: String) throws -> [String] {
    let names = try database.connection.rows(sql) { $0.text(0) ?? "" }
    var order = NaturalOrder()
    for name in names { order.add(name) }
    return order.places.map { names[$0] }
  }

  /// The tracks that a condition holds for, in natural order.
  private func select(
    _ condition: String = "", _ values: (any SQLiteBindable)?...
  ) throws -> [Track] {
    let connection = try database.connection
    return try connection.snapshot {
      let statement = try connection.prepare("SELECT row FROM track \(condition) ORDER BY row")
      defer { statement.reset() }
      try statement.bind(all: values)
      var rows: [Int] = []
      while try statement.step() { rows.append(Int(statement.integer(0) ?? 0)) }
      let reader = try ListingReader(connection)
      return try reader.tracks(rows) { index, _ in reader.rank(of: rows[index]) }
    }
  }

  // MARK: - Searching

  /// The tracks that have all words: in title, artist, album or file name, in any case and with or
  /// without accents, each word at least from its beginning.
  ///
  /// - Parameters:
  ///   - words: what was typed.
  ///   - isOrdered: whether the files' names alone give the order.
  ///   - limit: how many at most.
  /// - Returns: the exact title first, then titles that begin so, titles, artists, albums, the rest;
  ///   each in natural order.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func search(
    _ words: String, inOrder isOrdered: Bool = false, limit: Int = .max
  ) throws -> [Track] {
    let query = SearchQuery(words)
    guard !query.isEmpty else { return [] }
    let connection = try database.connection
    return try connection.snapshot {
      let search = try ListingSearch(query, on: connection)
      return isOrdered
        ? Array(try search.tracksInOrder().prefix(limit))
        : try search.tracks(equal: words, limit: limit)
    }
  }

  // MARK: - Refreshing

  /// Asks the server for its library and keeps the answer.
  ///
  /// Nothing waits for it but the caller. Where another process is at it already, its result is
  /// waited for and then confirmed.
  ///
  /// - Parameters:
  ///   - fetcher: brings the listing.
  ///   - patience: how long to wait for another process; nil gives up at once.
  /// - Returns: what is different now.
  /// - Throws: `LibraryError`, what the fetcher throws, `FileError`, `SQLiteError`,
  ///   `CancellationError`; the old listing stays.
  package nonisolated func refresh(
    by fetcher: any LibraryFetcher, patience: Duration = .seconds(60)
  ) async throws -> LibraryRefresh {
    let lock = try await lock(patience: patience)
    defer { withExtendedLifetime(lock) {} }
    let tag = try await stamp()?.tag
    let writer = ListingWriter(path: path, server: server)
    let feed = ListingFeed()
    async let answer = Self.fetch(by: fetcher, unless: tag, into: feed)
    do {
      try await writer.take(feed)
      switch try await answer {
      case .unchanged: return try await writer.confirm(at: now())
      case .whole(let tag): return try await writer.commit(at: now(), tag: tag)
      }
    } catch {
      // Ends a fetch that is still under way: nobody takes its bytes.
      feed.finish()
      await writer.rollBack()
      throw error
    }
  }

  /// Adds tracks that the server has told of by another way, such as the answer to an upload.
  ///
  /// Where the library was never read, or is being read, nothing is done: a listing comes anyhow.
  ///
  /// - Parameter tracks: what is new.
  /// - Throws: `FileError`, `SQLiteError`.
  package nonisolated func add(_ tracks: [Track]) async throws {
    try Folder.create(folder)
    guard let lock = try FileLock(ifFree: "\(path).lock") else { return }
    defer { withExtendedLifetime(lock) {} }
    try await ListingWriter(path: path, server: server).add(tracks)
  }

  private static func fetch(
    by fetcher: any LibraryFetcher, unless tag: String?, into feed: ListingFeed
  ) async throws -> LibraryAnswer {
    defer { feed.finish() }
    return try await fetcher.fetch(unless: tag, into: feed)
  }

  private nonisolated func lock(patience: Duration) async throws -> FileLock {
    try Folder.create(folder)
    var waited = Duration.zero
    while true {
      if let lock = try FileLock(ifFree: "\(path).lock") { return lock }
      guard waited < patience else { throw LibraryError.busy }
      let pause = Duration.milliseconds(100)
      try await Task.sleep(for: pause)
      waited += pause
    }
  }
}
