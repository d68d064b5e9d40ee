/// One step of a database's schema.
///
/// The file's `user_version` counts the steps it has been through, so a step that has been released
/// is never changed: a new one is appended.
package struct Migration: Sendable {
  /// The statements, without parameters, separated by semicolons.
  package var sql: String

  package init(_ sql: String) {
    self.sql = sql
  }
}

/// Why a database can't be brought to the schema of this program.
package enum MigrationError: Error, Equatable {
  /// A newer program wrote it: it has been through `found` steps, we know `known`.
  case newerDatabase(path: String, found: Int, known: Int)
}

extension SQLiteConnection {
  /// The number of schema steps the file has been through.
  ///
  /// - Returns: 0 for a new file.
  /// - Throws: `SQLiteError` where the file can't be read.
  package func schemaVersion() throws -> Int {
    try rows("PRAGMA user_version") { Int($0.integer(0) ?? 0) }.first ?? 0
  }

  /// Goes through the steps that are still missing, each whole or not at all.
  func migrate(through migrations: [Migration]) throws {
    guard try schemaVersion() != migrations.count, !migrations.isEmpty else { return }
    try transaction {
      // Read again under the write lock: another process may have gone through them meanwhile.
      let found = try schemaVersion()
      guard found <= migrations.count else {
        throw MigrationError.newerDatabase(path: path, found: found, known: migrations.count)
      }
      for migration in migrations.dropFirst(found) { try execute(migration.sql) }
      try execute("PRAGMA user_version = \(migrations.count)")
    }
  }
}
