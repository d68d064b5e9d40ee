/// What SQLite refused, with its codes.
///
/// The bound arguments are never in it: they can be secrets.
package struct SQLiteError: Error, Equatable, Sendable {
  /// The primary result code, such as `SQLITE_BUSY`.
  package var code: Int32
  /// The extended result code, such as `SQLITE_IOERR_WRITE`.
  package var extended: Int32
  /// SQLite's own English text.
  package var message: String
  /// The statement, or nil where there was none (opening).
  package var sql: String?
  /// The database file.
  package var path: String

  /// Joins the facts of a failure.
  package init(code: Int32, extended: Int32, message: String, sql: String?, path: String) {
    self.code = code
    self.extended = extended
    self.message = message
    self.sql = sql
    self.path = path
  }

  /// True where the disk or the quota is full, or the file or folder can't be written.
  package var isUnwritable: Bool {
    [Primary.full, Primary.readOnly, Primary.cannotOpen, Primary.inputOutput].contains(code)
  }

  /// True where another connection held the database for longer than the busy timeout.
  package var isBusy: Bool { code == Primary.busy || code == Primary.locked }

  /// True where a uniqueness, foreign key, not-null or check rule refused the change.
  package var isConstraint: Bool { code == Primary.constraint }

  /// True where the file is no database, or a damaged one.
  package var isCorrupt: Bool { code == Primary.corrupt || code == Primary.notADatabase }

  /// The primary codes that callers tell apart, as SQLite's documentation numbers them.
  private enum Primary {
    static let busy: Int32 = 5
    static let locked: Int32 = 6
    static let readOnly: Int32 = 8
    static let inputOutput: Int32 = 10
    static let corrupt: Int32 = 11
    static let full: Int32 = 13
    static let cannotOpen: Int32 = 14
    static let constraint: Int32 = 19
    static let notADatabase: Int32 = 26
  }
}
