import CSQLite

/// The columns of a row in which a full-text query was found.
package struct PhraseColumns: Equatable, Sendable {
  private let bits: Int64

  /// Reads what `phrase_columns` answered.
  ///
  /// - Parameter answer: the function's value; 0 is no column at all.
  package init(_ answer: Int64) { bits = answer }

  /// Whether one column, by its number from 0, holds all phrases of the query.
  package func holdAll(_ column: Int) -> Bool { bits & 1 << column != 0 }

  /// Whether one column, by its number from 0, begins with all phrases, in their order.
  package func beginWithAll(_ column: Int) -> Bool { bits & 1 << (column + 32) != 0 }
}

extension SQLiteConnection {
  /// Makes the SQL function `phrase_columns(TABLE)` known to this connection: for a row that a query
  /// of a full-text table has found, the value of its `PhraseColumns`.
  ///
  /// One query answers with it what would else take one for each column.
  ///
  /// - Throws: `SQLiteError` where SQLite has no FTS5.
  package func addPhraseColumns() throws(SQLiteError) {
    let statement = try prepare("SELECT fts5(?)")
    defer { statement.reset() }
    var api: UnsafeMutablePointer<fts5_api>?
    try statement.bind(pointer: &api, type: "fts5_api_ptr", at: 1)
    _ = try statement.step()
    let code = api?.pointee.xCreateFunction(api, "phrase_columns", nil, phraseColumns, nil)
    guard code == SQLITE_OK else {
      throw SQLiteError(
        code: code ?? SQLITE_ERROR, extended: code ?? SQLITE_ERROR, message: "no FTS5",
        sql: "phrase_columns", path: path)
    }
  }
}

/// Answers `phrase_columns`; see `PhraseColumns` for the bits.
private func phraseColumns(
  api: UnsafePointer<Fts5ExtensionApi>?, row: OpaquePointer?, context: OpaquePointer?,
  count: Int32, arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let api = api?.pointee else { return }
  var holding: Int64 = 0xFFFF_FFFF
  var beginning = holding
  var offset: Int32 = 0
  for phrase in 0..<api.xPhraseCount(row) {
    var columns: Int64 = 0
    var first: Int64 = 0
    var place = Fts5PhraseIter()
    var column: Int32 = 0
    var token: Int32 = 0
    guard api.xPhraseFirst(row, phrase, &place, &column, &token) == SQLITE_OK else { return }
    while column >= 0 {
      columns |= 1 << Int64(column)
      if token == offset { first |= 1 << Int64(column) }
      api.xPhraseNext(row, &place, &column, &token)
    }
    holding &= columns
    beginning &= first
    offset += api.xPhraseSize(row, phrase)
  }
  sqlite3_result_int64(context, holding | beginning << 32)
}
