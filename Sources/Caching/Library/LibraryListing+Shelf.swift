package import RoomProtocol
import Storage

/// A server's playlists as they were when it was last asked.
package struct KeptShelf: Sendable, Equatable {
  /// One's own, and what others share; of a share token only that there is one.
  package var shelf: PlaylistShelf
  /// When the server was asked for all of them, in seconds since 1970.
  package var read: Double
}

extension LibraryListing {
  /// The playlists that are kept; nil before any were.
  ///
  /// - Returns: in the server's order.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func shelf() throws -> KeptShelf? {
    try database.connection.rows("SELECT read FROM shelf") { $0.real(0) ?? 0 }.first.map { read in
      KeptShelf(
        shelf: PlaylistShelf(
          mine: try texts(areMine: true).compactMap(Self.playlist),
          shared: try texts(areMine: false).compactMap(Self.playlist)),
        read: read)
    }
  }

  /// Keeps the playlists that the server has answered with, in the place of those before.
  ///
  /// Where another process is writing the listing, nothing is done.
  ///
  /// - Parameter shelf: the whole answer.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func keep(_ shelf: PlaylistShelf) throws {
    let known = try self.shelf()?.shelf
    let mine = try shelf.mine.elements.map { try Self.text($0.completed(by: known)) }
    let shared = try shelf.shared.elements.map { try Self.text($0.completed(by: known)) }
    let isChanged = try mine != texts(areMine: true) || shared != texts(areMine: false)
    try writing { connection in
      try connection.run("DELETE FROM shelf")
      try connection.run("INSERT INTO shelf (read) VALUES (?)", now())
      guard isChanged else { return }
      try connection.run("DELETE FROM playlist")
      for (texts, areMine) in [(mine, true), (shared, false)] {
        for text in texts {
          try connection.run("INSERT INTO playlist (mine, text) VALUES (?, ?)", areMine, text)
        }
      }
    }
  }

  /// Keeps one playlist as it was read by itself, where it is among those that are kept.
  ///
  /// - Parameter playlist: as the server has it now.
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func keep(_ playlist: Playlist) throws {
    let rows = try database.connection.rows("SELECT row, text FROM playlist") { row in
      (row.integer(0), Self.playlist(row.blob(1) ?? []))
    }
    let text = try Self.text(playlist)
    try writing { connection in
      for (row, old) in rows where old?.id == playlist.id {
        try connection.run("UPDATE playlist SET text = ? WHERE row = ?", text, row)
      }
    }
  }

  /// Forgets the playlists: somebody else may ask next.
  ///
  /// - Throws: `FileError`, `SQLiteError`, `MigrationError`.
  package func forgetShelf() throws {
    try writing { try $0.execute("DELETE FROM playlist; DELETE FROM shelf") }
  }

  private func texts(areMine: Bool) throws -> [[UInt8]] {
    try database.connection.rows(
      "SELECT text FROM playlist WHERE mine = ? ORDER BY row", areMine
    ) { $0.blob(0) ?? [] }
  }

  /// Writes in a moment; a refresh under way would hold it up for as long as the network takes.
  private func writing(_ body: (SQLiteConnection) throws -> Void) throws {
    let connection = try database.connection
    guard let lock = try FileLock(ifFree: "\(path).lock") else { return }
    defer { withExtendedLifetime(lock) {} }
    try connection.transaction { try body(connection) }
  }

  private static func text(_ playlist: Playlist) throws -> [UInt8] {
    var playlist = playlist
    // A token opens it to anybody: that there is one is all that is shown of it.
    if playlist.shareToken != nil { playlist.shareToken = "" }
    return try WireJSON.encode(playlist)
  }

  private static func playlist(_ text: [UInt8]) -> Playlist? {
    try? WireJSON.decode(Playlist.self, from: text)
  }
}

extension Playlist {
  /// The playlist with the tracks that are kept of it, where a list of playlists names none.
  fileprivate func completed(by known: PlaylistShelf?) -> Playlist {
    guard trackIDs.isEmpty, updatedAt != 0, let known,
      let old = (known.mine.elements + known.shared.elements).first(where: { $0.id == id }),
      old.updatedAt == updatedAt
    else { return self }
    var whole = self
    whole.trackIDs = old.trackIDs
    return whole
  }
}
