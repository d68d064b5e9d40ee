import Storage
import TestSupport
import Testing

@Suite struct PhraseColumnsTests {
  private let folder: TemporaryFolder
  private let database: SQLiteConnection

  init() throws {
    folder = try TemporaryFolder()
    database = try SQLiteConnection(
      path: folder.file("text.db"),
      migrations: [
        Migration(
          """
          CREATE VIRTUAL TABLE text USING fts5 (a, b, content = '', columnsize = 0);
          INSERT INTO text (rowid, a, b) VALUES (1, 'one two three', 'three two one');
          INSERT INTO text (rowid, a, b) VALUES (2, 'two', 'one');
          INSERT INTO text (rowid, a, b) VALUES (3, NULL, 'zero one one two');
          """)
      ])
    try database.addPhraseColumns()
  }

  /// For each row found: the columns that hold all phrases, and those that begin with them.
  private func columns(_ query: String) throws -> [String] {
    try database.rows(
      "SELECT rowid, phrase_columns(text) FROM text WHERE text MATCH ? ORDER BY rowid", query
    ) { row in
      let columns = PhraseColumns(row.integer(1) ?? 0)
      let holding = (0..<2).filter(columns.holdAll).map { "\($0)" }.joined()
      let beginning = (0..<2).filter(columns.beginWithAll).map { "\($0)" }.joined()
      return "\(row.integer(0) ?? 0): \(holding)/\(beginning)"
    }
  }

  @Test(
    arguments: [
      ("one", ["1: 01/0", "2: 1/1", "3: 1/"]),
      ("one AND two", ["1: 01/0", "2: /", "3: 1/"]),
      ("two AND one", ["1: 01/", "2: /", "3: 1/"]),
      ("\"one two\"", ["1: 0/0", "3: 1/"]),
      ("\"one tw\" *", ["1: 0/0", "3: 1/"]),
      ("\"one\" * AND \"two thr\" *", ["1: 0/0"]),
      ("\"zer\" * AND \"on\" * AND \"on\" *", ["3: 1/1"]),
      ("\"zer\" * AND \"one one\"", ["3: 1/1"]),
      ("four", []),
    ])
  func `it is known which columns hold and begin with what was asked`(
    query: String, rows: [String]
  ) throws {
    #expect(try columns(query) == rows)
  }

  @Test func `without a query there is no column`() throws {
    #expect(!PhraseColumns(0).holdAll(0))
    #expect(!PhraseColumns(0).beginWithAll(0))
  }
}
