import RoomProtocol
import Storage

/// The natural order of a listing's tracks, by their files' names: the place of each row among all.
///
/// It is made once with each new edition of the listing and kept beside it, so that no question has
/// to sort names.
struct ListingOrder {
  private let places: [UInt32]

  /// Reads the order that is kept; where there is none, as in a file of an older program, makes it.
  ///
  /// - Throws: `SQLiteError`.
  init(of connection: SQLiteConnection) throws {
    let kept = try connection.rows("SELECT places FROM natural_order") { $0.blob(0) ?? [] }.first
    places = try kept.map(Self.places) ?? Self.made(from: connection)
  }

  /// Whether an order is kept.
  static func isKept(in connection: SQLiteConnection) throws -> Bool {
    try !connection.rows("SELECT 1 FROM natural_order") { _ in true }.isEmpty
  }

  /// Makes the order of the tracks that are there, and keeps it.
  ///
  /// - Throws: `SQLiteError`.
  static func renew(in connection: SQLiteConnection) throws {
    let bytes = try made(from: connection).flatMap { place in
      (0..<4).map { UInt8(truncatingIfNeeded: place >> (8 * $0)) }
    }
    try connection.run("DELETE FROM natural_order")
    try connection.run("INSERT INTO natural_order (places) VALUES (?)", bytes)
  }

  /// The place of a row; a smaller one comes before.
  func place(of row: Int) -> UInt32 { places.indices.contains(row) ? places[row] : .max }

  private static func made(from connection: SQLiteConnection) throws -> [UInt32] {
    var order = NaturalOrder()
    let rows = try connection.rows(
      "SELECT row, filename, title, id FROM track ORDER BY row"
    ) { row in
      if let name = row.text(1), !name.isEmpty {
        order.add(name)
      } else {
        let track = Track(id: ListingDatabase.id(row, 3), title: row.text(2))
        order.add(track.displayTitle)
      }
      return Int(row.integer(0) ?? 0)
    }
    var places = [UInt32](repeating: .max, count: (rows.last ?? 0) + 1)
    for (place, index) in order.places.enumerated() { places[rows[index]] = UInt32(place) }
    return places
  }

  private static func places(_ bytes: [UInt8]) -> [UInt32] {
    bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self))
      }
    }
  }
}
