import RoomProtocol
import Storage
import Transport

/// What other threads ask the rooms to do.
typealias HostInbox = ServiceInbox<@Sendable (RoomHost) -> Void>

/// The server's rooms: channels, library, users and listeners, behind a web server.
///
/// Everything here happens on one thread, so that nothing needs a lock and every client sees one
/// order of events. Slow work (scrypt, the scan) runs elsewhere and comes back as a message.
///
/// Threading: service thread only.
final class RoomHost {
  let configuration: ServerConfiguration
  let webServer: WebServer
  let users: UserStore
  let library = Library()
  /// Hashes passwords.
  let passwords: Worker
  /// Scans the music folder.
  let scans: Worker
  /// Looks at files that come from people.
  let arrivals: Worker
  let inbox: HostInbox
  var imports = ImportQueue()
  /// The log-ins that failed.
  var attempts: AttemptLimiter
  /// The passwords that wait to be hashed.
  var pendingPasswords = 0
  var faults: Faults
  var channels: [Channel] = []
  var listeners: [AcceptedSocket.ID: Listener] = [:]
  var generator: any RandomNumberGenerator

  let channelStore: ChannelStore
  let fileStore: FileStore
  let playlists: PlaylistStore
  var unsavedChannels: Set<ChannelID> = []
  /// The tracks given by the owner and not by the folder.
  var addedEntries: [LibraryEntry] = []
  var isChannelListDue = false
  var exactAdvances: [ChannelID: ServerTimers.ID] = [:]
  /// The tracks of the music folder.
  var folderEntries: [LibraryEntry] = []
  var isScanning = false
  /// The tracks the database had when the last scan began.
  var rememberedTracks: Set<TrackID> = []
  /// What the running scan has found so far, by path.
  var scanned: [String: ScannedFile] = [:]
  /// What came into the folder while the scan runs.
  var arrived: [ScannedFile] = []
  var scanWaiters: [() -> Void] = []
  /// Ends the loop after this turn.
  var isStopping = false

  private var parked: [UInt64: HTTPExchange] = [:]
  private var lastTicket: UInt64 = 0

  init(
    configuration: ServerConfiguration, webServer: WebServer, database: SQLiteConnection,
    inbox: HostInbox
  ) throws {
    self.configuration = configuration
    self.webServer = webServer
    self.inbox = inbox
    passwords = Worker(inbox: inbox, label: "room-server.passwords")
    scans = Worker(inbox: inbox, label: "room-server.scans")
    arrivals = Worker(inbox: inbox, label: "room-server.arrivals")
    faults = configuration.faults
    attempts = AttemptLimiter(
      burst: configuration.loginBurst, interval: configuration.loginInterval)
    generator = configuration.shuffle
    users = try UserStore(
      database: database, guestLimit: configuration.guestLimit, now: configuration.wallClock)
    channelStore = ChannelStore(database: database)
    fileStore = FileStore(database: database)
    playlists = PlaylistStore(database: database)
    try openChannels()
    startTimers()
    scanLibrary()
  }

  /// The wall clock as this server reads it, its fault included.
  var now: Int64 { configuration.wallClock() + faults.clockSkew.milliseconds }

  var log: @Sendable (String) -> Void { configuration.log }

  /// The channel newcomers land in.
  var lobby: Channel? { channels.first { $0.isDefault } }

  /// A channel by its id.
  func channel(_ id: ChannelID) -> Channel? { channels.first { $0.id == id } }

  /// A channel by its id, or the default one.
  func channel(orLobby id: ChannelID?) -> Channel? { id.map { channel($0) } ?? lobby }

  /// Opens the database and the port.
  ///
  /// - Throws: `ServiceError`.
  static func open(
    _ configuration: ServerConfiguration, inbox: HostInbox
  ) throws(ServiceError) -> RoomHost {
    if let folder = configuration.musicFolder {
      do {
        _ = try Folder.names(in: folder)
      } catch {
        throw .musicFolder(path: folder, code: error.code)
      }
      HiddenFile.sweep(folder)
    }
    let path = configuration.databasePath ?? ":memory:"
    let database: SQLiteConnection
    do {
      if let file = configuration.databasePath { try SecretFile.prepare(file) }
      database = try SQLiteConnection(path: path, migrations: schema)
    } catch {
      throw .database(path: path, detail: "\(error)")
    }
    let webServer = try listen(configuration)
    do {
      let host = try RoomHost(
        configuration: configuration, webServer: webServer, database: database,
        inbox: inbox)
      webServer.handler = host
      return host
    } catch {
      webServer.shutDown()
      throw .database(path: path, detail: "\(error)")
    }
  }

  private static func listen(
    _ configuration: ServerConfiguration
  ) throws(ServiceError) -> WebServer {
    var options = WebServerOptions(
      host: configuration.host, port: configuration.port,
      serverName: "Blastoise/\(configuration.version)")
    options.certificate = configuration.certificate
    options.key = configuration.key
    options.pathPrefix = configuration.pathPrefix
    options.notFound = .error(404, "not found")
    do {
      return try WebServer(options)
    } catch {
      switch error {
      case .certificate(let path): throw .certificate(path: path)
      case .cannotListen(let code):
        throw .cannotListen(host: configuration.host, port: configuration.port, code: code)
      }
    }
  }

  /// Ends everything.
  func close() {
    scans.cancel()
    imports.kill()
    // The threads that follow them may come too late to clear up.
    if let folder = configuration.musicFolder { HiddenFile.sweep(folder) }
    publishUnfinishedScan()
    // Positions move without a change: all are written.
    unsavedChannels = Set(channels.map(\.id))
    saveChannels()
    webServer.shutDown()
    scanWaiters.forEach { $0() }
    scanWaiters.removeAll()
  }

  private func openChannels() throws {
    var stored = try channelStore.all()
    if !stored.contains(where: \.isDefault) {
      let lobby = StoredChannel(id: "lobby", name: configuration.lobbyName, isDefault: true)
      try channelStore.save(lobby)
      stored.insert(lobby, at: 0)
    }
    channels = stored.map { Channel($0, library: library, now: now) }
  }

  private func startTimers() {
    repeatEvery(configuration.advanceInterval) { host in host.tick() }
    repeatEvery(configuration.stateInterval) { host in
      for channel in host.channels { host.sendState(of: channel, withQueue: true) }
    }
  }

  private func repeatEvery(_ interval: Duration, _ action: @escaping (RoomHost) -> Void) {
    webServer.timers.schedule(after: interval) { [weak self] in
      guard let self else { return }
      action(self)
      repeatEvery(interval, action)
    }
  }

  /// The server's timer: ends tracks, and keeps on disk what changed.
  private func tick() {
    if !faults.advancesExactly { channels.forEach(advance) }
    saveChannels()
  }

  /// Goes on in a channel whose track has ended, and tells its listeners.
  func advance(_ channel: Channel) {
    guard channel.advance(at: now, using: &generator) else { return }
    changed(channel)
    sendState(of: channel, withQueue: false)
  }

  /// To be called after every change of a channel: keeps it, and sets its exact end.
  func changed(_ channel: Channel) {
    unsavedChannels.insert(channel.id)
    webServer.timers.cancel(exactAdvances.removeValue(forKey: channel.id))
    guard faults.advancesExactly, !channel.clock.isPaused, let duration = channel.duration else {
      return
    }
    let rest = max(0, duration - channel.clock.position(at: now))
    exactAdvances[channel.id] = webServer.timers.schedule(after: .milliseconds(rest)) {
      [weak self, weak channel] in
      guard let self, let channel, self.channel(channel.id) === channel else { return }
      // The wall clock's milliseconds are cut off: it may read one too few.
      if channel.clock.hasEnded(duration: channel.duration, at: now) {
        advance(channel)
      } else {
        changed(channel)
      }
    }
  }

  /// Changes how the server misbehaves from now on.
  func setFaults(_ new: Faults) {
    faults = new
    for socket in webServer.sockets.values { socket.setStalled(new.stallsSockets) }
    channels.forEach(changed)
  }

  /// Writes what changed to the database.
  func saveChannels() {
    for channel in channels where unsavedChannels.contains(channel.id) {
      do {
        try channelStore.save(channel.stored(at: now))
      } catch {
        log("database: can't save channel \(channel.id): \(error)")
      }
    }
    unsavedChannels.removeAll()
  }

  /// Keeps an exchange that waits for slow work.
  func park(_ exchange: HTTPExchange) -> UInt64 {
    lastTicket += 1
    parked[lastTicket] = exchange
    return lastTicket
  }

  /// Takes a parked exchange back.
  func unpark(_ ticket: UInt64) -> HTTPExchange? { parked.removeValue(forKey: ticket) }
}
