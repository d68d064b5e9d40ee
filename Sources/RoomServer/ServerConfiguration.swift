/// What a server is started with.
package struct ServerConfiguration: Sendable {
  /// The folder whose tracks are the library; nil serves those given to `Server.add` alone.
  package var musicFolder: String?
  /// The database file; nil keeps users, sessions and channels in memory.
  package var databasePath: String?
  /// The address to listen on.
  package var host = "127.0.0.1"
  /// The port to listen on; 0 takes any free one.
  package var port = 0
  /// The certificate chain and its key, PEM files; both or none.
  package var certificate: String?
  package var key: String?
  /// What stands before `/api` in every path, such as `/music`; empty for nothing.
  package var pathPrefix = ""
  /// What the server calls itself.
  package var name = "Blastoise room"
  package var version = "0.1"
  /// Whether people without an account may listen.
  package var allowsGuests = true
  /// How many sessions of guests are kept; beyond it the oldest are forgotten.
  package var guestLimit = 10_000
  /// Whether people may make accounts.
  package var allowsSignups = true
  /// How often a log-in may fail by one name from one address before the next has to wait.
  package var loginBurst = 10
  /// How long it has to wait then.
  package var loginInterval = Duration.seconds(30)
  /// The largest file that people may send, in bytes.
  package var uploadLimit: Int64 = 512 << 20
  /// The program that gets tracks from elsewhere, called as yt-dlp is: its path, or a name that is
  /// looked for in `PATH`; nil imports nothing.
  package var importProgram: String?
  /// How many imports run at a time.
  package var importWorkers = 1
  /// How long a look at an address may take.
  package var importPatience = Duration.seconds(50)
  /// The name of the default channel.
  package var lobbyName = "Lobby"

  /// How the server misbehaves.
  package var faults = Faults()
  /// How often every channel sends its state with its queue.
  package var stateInterval = Duration.seconds(30)
  /// How often the end of tracks is looked for.
  package var advanceInterval = Duration.seconds(1)
  /// The wall clock, in milliseconds since 1970.
  package var wallClock: @Sendable () -> Int64 = { WallClock.now() }
  /// Where shuffle's luck comes from.
  package var shuffle: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

  /// Whether `Server.start` waits for the library's scan.
  package var awaitsScan = true
  /// Receives one line at a time, without its end, on the service thread; nothing secret.
  package var log: @Sendable (String) -> Void = { _ in }
  /// Logs every request.
  package var isVerbose = false

  /// Makes a configuration with a music folder.
  package init(musicFolder: String? = nil) {
    self.musicFolder = musicFolder
  }
}
