import Glibc
import Storage
import TestSupport
import Testing

@Suite struct SQLiteConnectionTests {
  private let folder: TemporaryFolder
  private let schema = [
    Migration("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size REAL, data BLOB)")
  ]

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ migrations: [Migration]) throws -> SQLiteConnection {
    try SQLiteConnection(path: folder.file("test.db"), migrations: migrations)
  }

  @Test func `every kind of value comes back as it went in`() throws {
    let database = try open(schema)
    try database.run(
      "INSERT INTO item (id, name, size, data) VALUES (?, ?, ?, ?)",
      Int64.max, "naïve 🎵\0end", 0.5, [UInt8]([0, 255]))
    let row = try database.rows("SELECT id, name, size, data FROM item") {
      ($0.integer(0), $0.text(1), $0.real(2), $0.blob(3))
    }
    #expect(row.count == 1)
    #expect(row.first?.0 == .max)
    #expect(row.first?.1 == "naïve 🎵\0end")
    #expect(row.first?.2 == 0.5)
    #expect(row.first?.3 == [0, 255])
  }

  @Test func `nil, empty text and an empty blob are told apart`() throws {
    let database = try open(schema)
    let missing: String? = nil
    try database.run("INSERT INTO item (name, data) VALUES (?, ?)", missing, [UInt8]())
    try database.run("INSERT INTO item (name, data) VALUES (?, ?)", "", nil)
    let rows = try database.rows("SELECT name, data FROM item ORDER BY id") {
      ($0.text(0), $0.blob(1))
    }
    #expect(rows.map(\.0) == [nil, ""])
    #expect(rows.map(\.1) == [[], nil])
  }

  @Test func `a file keeps its rows and is in write-ahead mode`() throws {
    do { try open(schema).run("INSERT INTO item (name) VALUES (?)", "kept") }
    let again = try open(schema)
    #expect(try again.rows("SELECT name FROM item") { $0.text(0) } == ["kept"])
    #expect(try again.rows("PRAGMA journal_mode") { $0.text(0) } == ["wal"])
    #expect(try again.rows("PRAGMA foreign_keys") { $0.integer(0) } == [1])
  }

  @Test func `a transaction that throws leaves nothing`() throws {
    struct Stop: Error {}
    let database = try open(schema)
    #expect(throws: Stop.self) {
      try database.transaction {
        try database.run("INSERT INTO item (name) VALUES (?)", "lost")
        throw Stop()
      }
    }
    #expect(try database.rows("SELECT count(*) FROM item") { $0.integer(0) } == [0])
    try database.transaction { try database.run("INSERT INTO item (name) VALUES (?)", "kept") }
    #expect(try database.rows("SELECT name FROM item") { $0.text(0) } == ["kept"])
  }

  @Test func `an error keeps the codes and the statement but no argument`() throws {
    let database = try open(schema)
    let sql = "INSERT INTO item (name) VALUES (?)"
    try database.run(sql, "secret")
    let error = #expect(throws: SQLiteError.self) { try database.run(sql, "secret") }
    #expect(error?.code == 19)
    #expect(error?.extended == 2067)
    #expect(error?.sql == sql)
    #expect(error?.isConstraint == true)
    #expect("\(String(describing: error))".contains("secret") == false)
  }

  @Test func `the same statement can run inside itself`() throws {
    let database = try open(schema)
    for name in ["a", "b"] { try database.run("INSERT INTO item (name) VALUES (?)", name) }
    let sql = "SELECT name FROM item ORDER BY id"
    let nested = try database.rows(sql) { outer in
      try database.rows(sql) { "\(outer.text(0) ?? "")\($0.text(0) ?? "")" }
    }
    #expect(nested == [["aa", "ab"], ["ba", "bb"]])
  }

  @Test func `migrations run once each and in order`() throws {
    #expect(try open(schema).schemaVersion() == 1)
    let longer = schema + [Migration("ALTER TABLE item ADD COLUMN extra TEXT DEFAULT 'new'")]
    let database = try open(longer)
    #expect(try database.schemaVersion() == 2)
    try database.run("INSERT INTO item (name) VALUES ('x')")
    #expect(try open(longer).rows("SELECT extra FROM item") { $0.text(0) } == ["new"])
  }

  @Test func `a broken migration changes nothing`() throws {
    _ = try open(schema)
    let broken = schema + [Migration("CREATE TABLE more (id INTEGER); NONSENSE")]
    #expect(throws: SQLiteError.self) { try open(broken) }
    let database = try open(schema)
    #expect(try database.schemaVersion() == 1)
    #expect(throws: SQLiteError.self) { try database.run("SELECT * FROM more") }
  }

  @Test func `a file of a newer program is refused by name`() throws {
    let path = folder.file("test.db")
    _ = try open(schema + [Migration("CREATE TABLE more (id INTEGER)")])
    #expect(throws: MigrationError.newerDatabase(path: path, found: 2, known: 1)) {
      try open(schema)
    }
  }

  @Test func `a snapshot stays as it was while another writes`() throws {
    let reader = try open(schema)
    let writer = try open(schema)
    let count = { try reader.rows("SELECT count(*) FROM item") { $0.integer(0) } }
    try reader.snapshot {
      #expect(try count() == [0])
      try writer.run("INSERT INTO item (name) VALUES ('x')")
      #expect(try count() == [0])
    }
    #expect(try count() == [1])
  }

  @Test func `a second writer waits and then says it is busy`() throws {
    let first = try open(schema)
    let second = try SQLiteConnection(path: folder.file("test.db"), busyTimeout: .zero)
    try first.transaction {
      let error = #expect(throws: SQLiteError.self) {
        try second.run("INSERT INTO item (name) VALUES ('x')")
      }
      #expect(error?.isBusy == true)
    }
    try second.run("INSERT INTO item (name) VALUES ('x')")
  }

  @Test func `a file that is no database is told as corrupt`() throws {
    let path = folder.file("test.db")
    try AtomicFile.write([UInt8](repeating: 65, count: 4096), to: path)
    let error = #expect(throws: SQLiteError.self) { try open(schema) }
    #expect(error?.isCorrupt == true)
    #expect(error?.path == path)
  }

  @Test func `a kill inside a transaction leaves the old state`() async throws {
    _ = try open(schema)
    let path = folder.file("test.db")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let database = try SQLiteConnection(path: path)
      try database.run("INSERT INTO item (name) VALUES ('entered')")
      try database.transaction {
        try database.run("INSERT INTO item (name) VALUES ('half')")
        kill(getpid(), SIGKILL)
      }
    }
    #expect(try open(schema).rows("SELECT name FROM item") { $0.text(0) } == ["entered"])
  }
}
