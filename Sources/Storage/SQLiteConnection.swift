import CSQLite

/// A connection to a SQLite database file.
///
/// Opened with write-ahead logging, a busy timeout and foreign keys checked; brought to the newest
/// schema by its migrations. Statements are prepared once and kept.
///
/// ```swift
/// let database = try SQLiteConnection(path: file, migrations: schema)
/// try database.run("INSERT INTO user (name) VALUES (?)", name)
/// let names = try database.rows("SELECT name FROM user") { $0.text(0) ?? "" }
/// ```
///
/// Threading: not `Sendable`; it belongs to one actor on a `QueueExecutor`, or to one thread. Every
/// call may block on the disk, and up to the busy timeout on another connection.
package final class SQLiteConnection {
  /// The open database, closed when the connection and its last statement are gone.
  final class Handle {
    let pointer: OpaquePointer
    let path: String

    /// Turns off what nobody asks for: each allocation is counted under a lock.
    private static let isPrepared = csqlite_count_no_memory() == SQLITE_OK

    init(path: String, flags: Int32) throws(SQLiteError) {
      _ = Self.isPrepared
      var opened: OpaquePointer?
      let code = sqlite3_open_v2(path, &opened, flags, nil)
      guard code == SQLITE_OK, let opened else {
        let message = String(cString: sqlite3_errmsg(opened) ?? sqlite3_errstr(code))
        let extended = opened == nil ? code : sqlite3_extended_errcode(opened)
        sqlite3_close_v2(opened)
        throw SQLiteError(code: code, extended: extended, message: message, sql: nil, path: path)
      }
      pointer = opened
      self.path = path
    }

    deinit {
      sqlite3_close_v2(pointer)
    }

    /// The connection's last failure.
    func error(sql: String?) -> SQLiteError {
      let extended = sqlite3_extended_errcode(pointer)
      return SQLiteError(
        code: extended & 0xFF, extended: extended,
        message: String(cString: sqlite3_errmsg(pointer)), sql: sql, path: path)
    }
  }

  private let handle: Handle
  /// How long another connection's write is waited for, in milliseconds.
  private let busyTimeout: Int32
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens the file, making it where it is missing, and brings it to the newest schema.
  ///
  /// - Parameters:
  ///   - path: the file, or `:memory:`. Its folder must exist.
  ///   - migrations: the steps of the schema, oldest first.
  ///   - busyTimeout: how long to wait for another connection's write.
  ///   - isAlone: whether to shut all other connections out from the first access on: then nothing
  ///     but the file itself and its log take room on the disk.
  /// - Throws: `SQLiteError`, or `MigrationError` where the file comes from a newer program.
  package init(
    path: String, migrations: [Migration] = [], busyTimeout: Duration = .seconds(5),
    isAlone: Bool = false
  ) throws {
    handle = try Handle(
      path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX)
    self.busyTimeout = Int32(clamping: busyTimeout.components.seconds * 1000)
    sqlite3_busy_timeout(handle.pointer, self.busyTimeout)
    if isAlone { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
    try migrate(through: migrations)
  }

  /// The database file.
  package var path: String { handle.path }

  /// The row id that the last insert made.
  package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle.pointer) }

  /// How many rows the last insert, update or delete touched.
  package var changedRows: Int { Int(sqlite3_changes(handle.pointer)) }

  /// Prepares a statement, or takes the one kept from an earlier call.
  ///
  /// - Parameter sql: one statement; its text is the key it is kept under, so it must hold no data.
  /// - Returns: a statement that is reset and has nothing bound.
  /// - Throws: `SQLiteError` where the SQL is wrong.
  package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    if let kept = statements[sql], !kept.isBusy {
      kept.reset()
      return kept
    }
    let statement = try SQLiteStatement(sql, on: handle)
    statements[sql] = statement
    return statement
  }

  /// Runs one statement to its end; rows are passed over.
  ///
  /// - Parameters:
  ///   - sql: the statement.
  ///   - values: its parameters in order; nil binds NULL.
  /// - Throws: `SQLiteError` where SQLite fails.
  package func run(_ sql: String, _ values: (any SQLiteBindable)?...) throws(SQLiteError) {
    let statement = try prepare(sql)
    defer { statement.reset() }
    try statement.bind(all: values)
    while try statement.step() {}
  }

  /// Reads all rows of one statement.
  ///
  /// - Parameters:
  ///   - sql: the statement.
  ///   - values: its parameters in order; nil binds NULL.
  ///   - read: makes a value of the row the statement stands on.
  /// - Returns: what `read` made, in order.
  /// - Throws: `SQLiteError` where SQLite fails, or what `read` throws.
  package func rows<Row>(
    _ sql: String, _ values: (any SQLiteBindable)?...,
    read: (SQLiteStatement) throws -> Row
  ) throws -> [Row] {
    let statement = try prepare(sql)
    defer { statement.reset() }
    try statement.bind(all: values)
    var rows: [Row] = []
    while try statement.step() { rows.append(try read(statement)) }
    return rows
  }

  /// Runs statements without parameters, separated by semicolons.
  ///
  /// - Parameter sql: the statements.
  /// - Throws: `SQLiteError` at the first that fails; those before it stay done.
  package func execute(_ sql: String) throws(SQLiteError) {
    guard sqlite3_exec(handle.pointer, sql, nil, nil, nil) == SQLITE_OK else {
      throw handle.error(sql: sql)
    }
  }

  /// Does all of `body` or none of it, at once: another connection's write is not waited for.
  ///
  /// - Parameter body: the work; what it throws undoes it.
  /// - Returns: what `body` returns.
  /// - Throws: as `transaction`; an error that `isBusy` where another connection is writing.
  package func transactionAtOnce<Result>(_ body: () throws -> Result) throws -> Result {
    sqlite3_busy_timeout(handle.pointer, 0)
    defer { sqlite3_busy_timeout(handle.pointer, busyTimeout) }
    return try transaction(body)
  }

  /// Does all of `body` or none of it.
  ///
  /// The write lock is taken at the start, so that a wait for another connection comes before any
  /// work. Inside another transaction it is simply part of that one.
  ///
  /// - Parameter body: the work; what it throws undoes it.
  /// - Returns: what `body` returns.
  /// - Throws: `SQLiteError`, or what `body` throws.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try transaction(beginning: "BEGIN IMMEDIATE", body)
  }

  /// Reads the database as it is at the first statement, whatever others write meanwhile.
  ///
  /// - Parameter body: statements that only read.
  /// - Returns: what `body` returns.
  /// - Throws: `SQLiteError`, or what `body` throws.
  package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try transaction(beginning: "BEGIN", body)
  }

  private func transaction<Result>(
    beginning begin: String, _ body: () throws -> Result
  ) throws -> Result {
    guard sqlite3_get_autocommit(handle.pointer) != 0 else { return try body() }
    try execute(begin)
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A full disk may have rolled back already; the first error is the one to tell.
      if sqlite3_get_autocommit(handle.pointer) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }
}
