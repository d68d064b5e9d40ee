import Platform
import RoomProtocol
import Storage

/// Brings one listing up to date, element by element, in one transaction.
///
/// Only what differs is written: an unchanged library of any size costs no write at all. Until
/// `commit` readers see the old listing; a kill leaves it.
///
/// Threading: an actor on a queue of its own, with a connection of its own, so that nobody who
/// searches waits for it.
actor ListingWriter {
  private let executor = QueueExecutor(label: "listing-writer")
  private let path: String
  private let server: String
  private var work: Work?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A writer to the file of one server.
  init(path: String, server: String) {
    self.path = path
    self.server = server
  }

  /// Takes the pieces of the listing's text until they end, without keeping anything yet.
  ///
  /// - Throws: `LibraryError`, `SQLiteError`.
  func take(_ feed: ListingFeed) async throws {
    for await piece in feed.pieces {
      defer { feed.release(piece.count) }
      let work = try self.work ?? Work(ListingDatabase(path: path))
      self.work = work
      try work.take(piece)
    }
  }

  /// Keeps what was taken.
  ///
  /// - Parameters:
  ///   - time: seconds since 1970.
  ///   - tag: what the server gave with the listing.
  /// - Returns: what is different now.
  /// - Throws: `LibraryError` where the text was no whole listing, `SQLiteError`; the old one stays.
  func commit(at time: Double, tag: String?) throws -> LibraryRefresh {
    guard let work else { throw LibraryError.endsEarly }
    defer { self.work = nil }
    return try work.commit(at: time, tag: tag, server: server)
  }

  /// Adds tracks to a listing that was read before.
  func add(_ tracks: [Track]) throws {
    let database = try ListingDatabase(path: path)
    guard var stamp = try database.stamp() else { return }
    let work = try Work(database)
    for track in tracks { try work.take(track) }
    try ListingOrder.renew(in: database.connection)
    stamp.count += work.refresh.new
    // What the server said of its listing is true no longer.
    stamp.tag = nil
    try database.set(stamp, of: server)
    try database.connection.execute("COMMIT")
  }

  /// Keeps the old listing, as one that was right at this moment.
  func confirm(at time: Double) throws -> LibraryRefresh {
    work = nil
    let database = try ListingDatabase(path: path)
    guard var stamp = try database.stamp() else { throw LibraryError.notAListing }
    stamp.checked = time
    let server = server
    try database.connection.transaction { try database.set(stamp, of: server) }
    var refresh = LibraryRefresh()
    refresh.count = stamp.count
    return refresh
  }

  /// Forgets what was taken.
  func rollBack() { work = nil }
}

/// A refresh under way: its transaction ends with it, undone unless it was committed.
private final class Work {
  private let database: ListingDatabase
  private let find: SQLiteStatement
  private let insert: SQLiteStatement
  private let update: SQLiteStatement
  private let index: SQLiteStatement
  private let unindex: SQLiteStatement
  private var elements = JSONElements()
  private(set) var refresh = LibraryRefresh()
  /// The rows that the new listing has, by number.
  private var seen: [Bool] = []
  private let wasEmpty: Bool

  init(_ database: ListingDatabase) throws {
    self.database = database
    let connection = database.connection
    // The ids come in no order: their index has to fit, or each row would write a page.
    try connection.execute("PRAGMA cache_size = -28000; BEGIN IMMEDIATE")
    find = try connection.prepare(
      "SELECT row, \(ListingDatabase.columns) FROM track WHERE id = ?")
    insert = try connection.prepare(
      """
      INSERT INTO track (\(ListingDatabase.columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
      """)
    update = try connection.prepare(
      """
      UPDATE track SET id = ?, filename = ?, title = ?, artist = ?, album = ?, duration = ?,
        gain = ?, peak = ?, available = ? WHERE row = ?
      """)
    index = try connection.prepare(
      "INSERT INTO search (rowid, title, artist, album, filename) VALUES (?, ?, ?, ?, ?)")
    unindex = try connection.prepare(
      """
      INSERT INTO search (search, rowid, title, artist, album, filename)
      VALUES ('delete', ?, ?, ?, ?, ?)
      """)
    wasEmpty = try connection.rows("SELECT 1 FROM track LIMIT 1") { _ in true }.isEmpty
  }

  /// Takes the next piece of the text.
  func take(_ piece: [UInt8]) throws {
    do {
      try piece.withUnsafeBytes { piece in
        try elements.take(piece) { element in
          guard let track = Track(element: element) else {
            refresh.unreadable += 1
            return
          }
          try take(track)
        }
      }
    } catch let failure as JSONElements.Failure { throw LibraryError(failure) }
  }

  /// Takes a track; of several with one id the first counts.
  func take(_ track: Track) throws {
    if !wasEmpty, let (row, old) = try known(track.id) {
      guard !has(row) else { return }
      mark(row)
      guard old != track else { return }
      try write(track, by: update, row: row)
      try run(unindex, old, row)
      try run(index, track, row)
      refresh.changed += 1
      return
    }
    try write(track, by: insert)
    guard database.connection.changedRows > 0 else { return }
    let row = Int(database.connection.lastInsertedRow)
    mark(row)
    try run(index, track, row)
    refresh.new += 1
  }

  /// Ends it: what the new listing has not is removed.
  func commit(at time: Double, tag: String?, server: String) throws -> LibraryRefresh {
    do throws(JSONElements.Failure) { try elements.finish() } catch { throw LibraryError(error) }
    if !wasEmpty { try removeGone() }
    refresh.count = seen.count { $0 }
    // Nothing but strangers: that is another answer, not an empty library.
    guard refresh.count > 0 || refresh.unreadable == 0 else { throw LibraryError.notAListing }
    let old = try database.stamp()
    let isChanged = old == nil || refresh.new + refresh.gone + refresh.changed > 0
    if try isChanged || !ListingOrder.isKept(in: database.connection) {
      try ListingOrder.renew(in: database.connection)
    }
    let stamp = LibraryStamp(
      checked: time, changed: isChanged ? time : old?.changed ?? time, count: refresh.count,
      tag: tag)
    try database.set(stamp, of: server)
    try database.connection.execute("COMMIT")
    return refresh
  }

  private func removeGone() throws {
    let all = try database.connection.rows("SELECT row FROM track") { Int($0.integer(0) ?? 0) }
    for row in all where !has(row) {
      let old = try database.connection.rows(
        "SELECT \(ListingDatabase.columns) FROM track WHERE row = ?", row
      ) { ListingDatabase.track($0) }
      for track in old { try run(unindex, track, row) }
      try database.connection.run("DELETE FROM track WHERE row = ?", row)
      refresh.gone += 1
    }
  }

  // MARK: - Rows

  private func has(_ row: Int) -> Bool { seen.indices.contains(row) && seen[row] }

  private func mark(_ row: Int) {
    while seen.count <= row { seen.append(false) }
    seen[row] = true
  }

  private func known(_ id: TrackID) throws -> (row: Int, track: Track)? {
    defer { find.reset() }
    try find.bind(ListingDatabase.stored(id), at: 1)
    guard try find.step() else { return nil }
    return (Int(find.integer(0) ?? 0), ListingDatabase.track(find, from: 1))
  }

  private func write(_ track: Track, by statement: SQLiteStatement, row: Int? = nil) throws {
    defer { statement.reset() }
    try statement.bind(ListingDatabase.stored(track.id), at: 1)
    try statement.bind(track.filename, at: 2)
    try statement.bind(track.title, at: 3)
    try statement.bind(track.artist, at: 4)
    try statement.bind(track.album, at: 5)
    try statement.bind(track.duration, at: 6)
    try statement.bind(track.replayGainDB, at: 7)
    try statement.bind(track.replayPeak, at: 8)
    try statement.bind(track.available, at: 9)
    if let row { try statement.bind(row, at: 10) }
    _ = try statement.step()
  }

  /// Puts a track's texts into the index, or takes them out: what goes out must be what went in.
  private func run(_ statement: SQLiteStatement, _ track: Track, _ row: Int) throws {
    defer { statement.reset() }
    try statement.bind(row, at: 1)
    try statement.bind(track.title.map(SearchText.folded), at: 2)
    try statement.bind(track.artist.map(SearchText.folded), at: 3)
    try statement.bind(track.album.map(SearchText.folded), at: 4)
    try statement.bind(SearchText.folded(track.filename), at: 5)
    _ = try statement.step()
  }
}

extension LibraryError {
  fileprivate init(_ failure: JSONElements.Failure) {
    switch failure {
    case .notAnArray, .elementTooLarge: self = .notAListing
    case .endsEarly: self = .endsEarly
    }
  }
}
