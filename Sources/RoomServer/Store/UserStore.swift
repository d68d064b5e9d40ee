import RoomProtocol
import Storage

/// Users and sessions, in the database.
///
/// Tokens are kept as their hashes and passwords as scrypt's, so that the file gives nobody away.
///
/// Threading: service thread; each call is a short statement.
final class UserStore {
  private let database: SQLiteConnection
  private let now: () -> Int64
  private let guestLimit: Int
  /// The sessions of guests, or more: those that ended since the last count are still in it.
  private var guestCount = 0

  /// Takes the tables over and forgets sessions that are too old.
  ///
  /// - Parameters:
  ///   - database: with the server's schema.
  ///   - guestLimit: how many sessions of guests are kept.
  ///   - now: the wall clock, in milliseconds.
  /// - Throws: `SQLiteError`.
  init(database: SQLiteConnection, guestLimit: Int, now: @escaping () -> Int64) throws {
    self.database = database
    self.guestLimit = guestLimit
    self.now = now
    try database.run(
      "DELETE FROM session WHERE created_at < ?", now() - SessionCookie.lifetime * 1000)
    guestCount = try countGuests()
  }

  /// Makes a user; the first one is the admin.
  ///
  /// - Returns: nil where the name is taken.
  /// - Throws: `SQLiteError`.
  func create(username: String, password: PasswordHash) throws -> User? {
    do {
      try database.run(
        """
        INSERT INTO user (username, password, is_admin, created_at)
        VALUES (?, ?, NOT EXISTS (SELECT 1 FROM user), ?)
        """, username, password.encoded, now())
    } catch let error where error.isConstraint {
      return nil
    }
    return try user(id: Int(database.lastInsertedRow))
  }

  /// A user and the password they signed up with.
  ///
  /// - Throws: `SQLiteError`.
  func find(username: String) throws -> (user: User, password: PasswordHash)? {
    try database.rows(
      "SELECT id, username, is_admin, password FROM user WHERE username = ?", username
    ) { (Self.user($0), PasswordHash(encoded: $0.text(3) ?? "")) }.first
  }

  /// Opens a session of a user.
  ///
  /// - Throws: `SQLiteError`.
  func open(_ user: User) throws -> (token: String, session: Session) {
    let token = SessionCookie.makeToken()
    let key = SessionCookie.key(of: token)
    try database.run(
      "INSERT INTO session (token, user_id, guest_name, created_at) VALUES (?, ?, ?, ?)",
      key, user.isGuest ? nil : user.id, user.isGuest ? user.username : nil, now())
    return (token, Session(key: key, user: user))
  }

  /// Opens a session of a new guest.
  ///
  /// - Throws: `SQLiteError`.
  func openGuest() throws -> (token: String, session: Session) {
    let name = "guest-" + Hex.string(SecureRandom.bytes(3))
    guestCount += 1
    if guestCount > guestLimit { try forgetGuests() }
    return try open(User(username: name, isGuest: true))
  }

  /// Makes room for a guest where there are too many.
  ///
  /// Whoever keeps no cookie makes a session with every request. A tenth goes at once, so that this
  /// is seldom.
  private func forgetGuests() throws {
    guestCount = try countGuests() + 1
    guard guestCount > guestLimit else { return }
    try database.run(
      """
      DELETE FROM session WHERE token IN (
        SELECT token FROM session WHERE guest_name IS NOT NULL ORDER BY created_at LIMIT ?)
      """, guestCount - guestLimit + guestLimit / 10)
    guestCount -= database.changedRows
  }

  private func countGuests() throws -> Int {
    try database.rows("SELECT count(*) FROM session WHERE guest_name IS NOT NULL") {
      Int($0.integer(0) ?? 0)
    }.first ?? 0
  }

  /// The session of a cookie's token, nil where there is none (any more).
  ///
  /// - Throws: `SQLiteError`.
  func session(token: String) throws -> Session? {
    let key = SessionCookie.key(of: token)
    return try database.rows(
      """
      SELECT user.id, user.username, user.is_admin, session.guest_name
      FROM session LEFT JOIN user ON user.id = session.user_id
      WHERE session.token = ? AND session.created_at >= ?
      """, key, now() - SessionCookie.lifetime * 1000
    ) { row in
      let guest = row.text(3).map { User(username: $0, isGuest: true) }
      return Session(key: key, user: guest ?? Self.user(row))
    }.first
  }

  /// Ends a session.
  ///
  /// - Throws: `SQLiteError`.
  func close(_ session: Session) throws {
    try database.run("DELETE FROM session WHERE token = ?", session.key)
  }

  /// Ends all sessions of a user but this one.
  ///
  /// - Returns: how many there were.
  /// - Throws: `SQLiteError`.
  func closeOthers(than session: Session) throws -> Int {
    try database.run(
      "DELETE FROM session WHERE user_id = ? AND token != ?", session.user.id, session.key)
    return database.changedRows
  }

  private func user(id: Int) throws -> User? {
    try database.rows("SELECT id, username, is_admin FROM user WHERE id = ?", id) {
      Self.user($0)
    }.first
  }

  private static func user(_ row: SQLiteStatement) -> User {
    User(
      id: Int(row.integer(0) ?? 0), username: row.text(1) ?? "",
      isAdmin: row.integer(2) == 1,
      permissions: [
        Permission(resourceType: "channel", permission: "control"),
        Permission(resourceType: "channel", permission: "edit"),
      ])
  }
}
