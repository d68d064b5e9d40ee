import RoomProtocol
import Storage

/// Reads tracks of a listing.
///
/// It is to be used within one snapshot, so that rows and their order are of one edition.
///
/// Threading: that of its connection.
struct ListingReader {
  let connection: SQLiteConnection
  private let order: ListingOrder

  /// Prepares to read.
  ///
  /// - Throws: `SQLiteError`.
  init(_ connection: SQLiteConnection) throws {
    self.connection = connection
    order = try ListingOrder(of: connection)
  }

  /// The rank of a row in natural order.
  func rank(of row: Int) -> UInt64 { UInt64(order.place(of: row)) }

  /// Reads the tracks of some rows.
  ///
  /// - Parameters:
  ///   - rows: rows that are there; they are read quickest in their own order.
  ///   - signs: what one of a track's texts must hold, as it is written; others are left out.
  ///   - rank: the rank of the track at an index of `rows`; no two may be the same.
  /// - Returns: the one of the smallest rank first.
  /// - Throws: `SQLiteError`.
  func tracks(
    _ rows: [Int], with signs: [String] = [], rank: (Int, Track) -> UInt64
  ) throws -> [Track] {
    let text = "ifnull(title, '') || ' ' || ifnull(artist, '') || ' ' || ifnull(album, '')"
    let conditions = signs.indices.map { index in
      " AND instr(\(text) || ' ' || filename, ?\(index + 2)) > 0"
    }
    let statement = try connection.prepare(
      "SELECT \(ListingDatabase.columns) FROM track WHERE row = ?1\(conditions.joined())")
    var tracks: [Track] = []
    var ranks: [(rank: UInt64, index: Int)] = []
    if signs.isEmpty { tracks.reserveCapacity(rows.count) }
    for (index, row) in rows.enumerated() {
      defer { statement.reset() }
      try statement.bind(row, at: 1)
      for (place, sign) in signs.enumerated() { try statement.bind(sign, at: place + 2) }
      guard try statement.step() else { continue }
      let track = ListingDatabase.track(statement)
      ranks.append((rank(index, track), tracks.count))
      tracks.append(track)
    }
    tracks.rearrange(ranks.sorted { $0.rank < $1.rank }.map(\.index))
    return tracks
  }
}

extension Array {
  /// Puts the elements into another order where they lie, without a copy of any.
  ///
  /// - Parameter sources: for each index that of the element that is to stand there; each once.
  mutating func rearrange(_ sources: [Int]) {
    var sources = sources
    withUnsafeMutableBufferPointer { elements in
      for start in sources.indices {
        var place = start
        while sources[place] != start {
          let source = sources[place]
          elements.swapAt(place, source)
          sources[place] = place
          place = source
        }
        sources[place] = place
      }
    }
  }
}
