/// A value that a statement's parameter can take; nil stands for NULL.
package enum SQLiteValue: Sendable, Equatable {
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// What can be bound to a parameter as it is: integers, `Double`, `Bool`, `String`, `[UInt8]`.
package protocol SQLiteBindable {
  /// The value as SQLite stores it.
  var sqliteValue: SQLiteValue { get }
}

extension Int64: SQLiteBindable {
  package var sqliteValue: SQLiteValue { .integer(self) }
}

extension Int: SQLiteBindable {
  package var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension Bool: SQLiteBindable {
  package var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }
}

extension Double: SQLiteBindable {
  package var sqliteValue: SQLiteValue { .real(self) }
}

extension String: SQLiteBindable {
  package var sqliteValue: SQLiteValue { .text(self) }
}

extension [UInt8]: SQLiteBindable {
  package var sqliteValue: SQLiteValue { .blob(self) }
}
