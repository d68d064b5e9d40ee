import Storage

/// The server's database, step by step.
let schema = [
  Migration(
    """
    CREATE TABLE user (
      id INTEGER PRIMARY KEY,
      username TEXT NOT NULL UNIQUE COLLATE NOCASE,
      password TEXT NOT NULL,
      is_admin INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    );
    CREATE TABLE session (
      token BLOB PRIMARY KEY,
      user_id INTEGER REFERENCES user(id) ON DELETE CASCADE,
      guest_name TEXT,
      created_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX session_user ON session(user_id);
    CREATE TABLE file (
      path TEXT PRIMARY KEY,
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      track TEXT NOT NULL,
      title TEXT,
      artist TEXT,
      album TEXT,
      duration REAL,
      gain REAL,
      peak REAL
    ) WITHOUT ROWID;
    CREATE TABLE channel (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      description TEXT NOT NULL,
      is_default INTEGER NOT NULL,
      created_by INTEGER,
      mode TEXT NOT NULL,
      tracks TEXT NOT NULL,
      current_index INTEGER NOT NULL,
      paused INTEGER NOT NULL,
      position INTEGER NOT NULL
    ) WITHOUT ROWID;
    """),
  Migration(
    """
    CREATE TABLE playlist (
      id TEXT PRIMARY KEY,
      owner_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      description TEXT NOT NULL,
      is_public INTEGER NOT NULL,
      share_token TEXT UNIQUE,
      tracks TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX playlist_owner ON playlist(owner_id);
    """),
]
