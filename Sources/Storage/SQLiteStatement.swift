import CSQLite

/// A prepared statement: bind, step through the rows, read their columns.
///
/// Parameters are numbered from 1 as in SQL, columns from 0 as in SQLite. The statement keeps its
/// connection alive and is finalised with its last reference.
///
/// Threading: that of its connection.
package final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: SQLiteConnection.Handle

  init(_ sql: String, on connection: SQLiteConnection.Handle) throws(SQLiteError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v2(connection.pointer, sql, -1, &prepared, nil)
    guard code == SQLITE_OK else { throw connection.error(sql: sql) }
    guard let prepared else {
      // Nothing but blanks and comments: a bug of the caller, told as the misuse it is.
      throw SQLiteError(
        code: SQLITE_MISUSE, extended: SQLITE_MISUSE, message: "empty statement", sql: sql,
        path: connection.path)
    }
    handle = prepared
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Whether it has been stepped and neither ended nor been reset.
  var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Binds one parameter; nil binds NULL.
  ///
  /// - Parameters:
  ///   - value: what to bind; copied.
  ///   - index: the parameter's number, from 1.
  /// - Throws: `SQLiteError` when there is no such parameter.
  package func bind(_ value: (any SQLiteBindable)?, at index: Int) throws(SQLiteError) {
    let position = Int32(index)
    let code =
      switch value?.sqliteValue {
      case nil: sqlite3_bind_null(handle, position)
      case .integer(let number): sqlite3_bind_int64(handle, position, number)
      case .real(let number): sqlite3_bind_double(handle, position, number)
      case .text(let text): bindText(text, at: position)
      case .blob(let bytes):
        bytes.withUnsafeBytes {
          csqlite_bind_blob_copy(handle, position, $0.baseAddress, UInt64($0.count))
        }
      }
    guard code == SQLITE_OK else { throw failure() }
  }

  /// Binds a text; nil binds NULL.
  ///
  /// - Parameters:
  ///   - text: what to bind; copied.
  ///   - index: the parameter's number, from 1.
  /// - Throws: `SQLiteError` when there is no such parameter.
  package func bind(_ text: String?, at index: Int) throws(SQLiteError) {
    let position = Int32(index)
    let code = text.map { bindText($0, at: position) } ?? sqlite3_bind_null(handle, position)
    guard code == SQLITE_OK else { throw failure() }
  }

  /// Binds a place that a function of SQLite's own is to write to.
  func bind<Value>(
    pointer: UnsafeMutablePointer<Value>, type: StaticString, at index: Int
  ) throws(SQLiteError) {
    let name = UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
    guard sqlite3_bind_pointer(handle, Int32(index), pointer, name, nil) == SQLITE_OK else {
      throw failure()
    }
  }

  /// Binds all parameters, in order.
  ///
  /// - Parameter values: one for each parameter; nil binds NULL.
  /// - Throws: `SQLiteError` when there are more values than parameters.
  package func bind(all values: [(any SQLiteBindable)?]) throws(SQLiteError) {
    for (offset, value) in values.enumerated() { try bind(value, at: offset + 1) }
  }

  /// Runs to the next row.
  ///
  /// - Returns: true where there is a row to read, false at the end.
  /// - Throws: `SQLiteError` where SQLite fails; the statement is reset then.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      let error = failure()
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Makes it ready to run again, with no parameter bound.
  package func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// The column as an integer; nil for NULL.
  package func integer(_ column: Int) -> Int64? {
    isNull(column) ? nil : sqlite3_column_int64(handle, Int32(column))
  }

  /// The column as a number; nil for NULL.
  package func real(_ column: Int) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(handle, Int32(column))
  }

  /// The column as text; nil for NULL.
  package func text(_ column: Int) -> String? {
    guard let start = sqlite3_column_text(handle, Int32(column)) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The column's bytes; nil for NULL.
  package func blob(_ column: Int) -> [UInt8]? {
    isNull(column) ? nil : withBlob(column) { [UInt8]($0) }
  }

  /// Gives the column's bytes as they lie, uncopied.
  ///
  /// - Parameters:
  ///   - column: one of a row; NULL has no bytes.
  ///   - body: takes the bytes, valid during the call only.
  /// - Returns: what `body` returns.
  package func withBlob<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Whether the column holds bytes rather than text or a number.
  package func isBlob(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB
  }

  private func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  private func bindText(_ text: String, at position: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // An empty string may have no address, which SQLite would take for NULL.
        csqlite_bind_text_copy(handle, position, $0.baseAddress ?? emptyText, UInt64($0.count))
      }
    }
  }

  private func failure() -> SQLiteError {
    connection.error(sql: sqlite3_sql(handle).map { String(cString: $0) })
  }
}

/// The address of an empty C string that lives for ever.
// SAFETY: a static literal, never written to.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let literal: StaticString = ""
  return UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}()
