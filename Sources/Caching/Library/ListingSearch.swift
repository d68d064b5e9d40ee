import RoomProtocol
import Storage

/// One search in a listing: which rows have all the words, how telling each is, and then the tracks
/// of these rows alone.
///
/// Threading: that of its connection.
struct ListingSearch {
  private let reader: ListingReader
  private let query: SearchQuery

  /// A row that has all words.
  private struct Hit {
    var row: Int
    /// How telling it is, 0 being the most: all words at the title's beginning, in the title, in the
    /// artist, in the album, anywhere.
    var tier: UInt64
    /// The tier, and in it the natural order.
    var rank: UInt64
  }

  /// Prepares to search, within a snapshot.
  ///
  /// - Throws: `SQLiteError`.
  init(_ query: SearchQuery, on connection: SQLiteConnection) throws {
    self.query = query
    reader = try ListingReader(connection)
  }

  /// The tracks that have all words, in natural order.
  ///
  /// - Throws: `SQLiteError`.
  func tracksInOrder() throws -> [Track] {
    let hits = try hits(isRanked: false)
    return try reader.tracks(hits.map(\.row), with: query.signs) { index, _ in hits[index].rank }
  }

  /// The tracks that have all words, the most telling first.
  ///
  /// - Parameters:
  ///   - words: what was typed; a title that is the same comes first.
  ///   - limit: how many at most.
  /// - Returns: in each tier those in natural order.
  /// - Throws: `SQLiteError`.
  func tracks(equal words: String, limit: Int) throws -> [Track] {
    var hits = try hits(isRanked: true)
    if query.signs.isEmpty, hits.count > limit {
      // The same titles are among those that begin so: these have to be read.
      let beginning = hits.count { $0.tier == 0 }
      hits = Array(hits.sorted { $0.rank < $1.rank }.prefix(max(limit, beginning)))
    }
    let tracks = try reader.tracks(hits.map(\.row), with: query.signs) { index, track in
      let rank = hits[index].rank
      return Self.isSame(track.title, words) ? rank : rank + 1 << 40
    }
    return tracks.count > limit ? Array(tracks.prefix(limit)) : tracks
  }

  private func hits(isRanked: Bool) throws -> [Hit] {
    guard query.hasPhrases else {
      return try reader.connection.rows("SELECT row FROM track ORDER BY row") { hit($0, tier: 0) }
    }
    let columns = isRanked ? "phrase_columns(search)" : "0"
    return try reader.connection.rows(
      "SELECT rowid, \(columns) FROM search WHERE search MATCH ? ORDER BY rowid", query.expression
    ) { hit($0, tier: Self.tier(PhraseColumns($0.integer(1) ?? 0))) }
  }

  private func hit(_ statement: SQLiteStatement, tier: UInt64) -> Hit {
    let row = Int(statement.integer(0) ?? 0)
    return Hit(row: row, tier: tier, rank: tier << 32 | reader.rank(of: row))
  }

  private static func tier(_ columns: PhraseColumns) -> UInt64 {
    if columns.beginWithAll(0) { return 0 }
    return (UInt64(0)..<3).first { columns.holdAll(Int($0)) }.map { $0 + 1 } ?? 4
  }

  /// Whether two texts differ in the case of ASCII's letters at most.
  private static func isSame(_ left: String?, _ right: String) -> Bool {
    guard let left, left.utf8.count == right.utf8.count else { return false }
    return left.utf8.elementsEqual(right.utf8) { small($0) == small($1) }
  }

  private static func small(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
