import Glibc
import Listening
import PCM
import Playback
import RoomClient
import RoomProtocol
import RoomServer
import Synchronization
import TestSupport
import Transport

/// A real room server on loopback, a folder of music, and a listener that plays into a WAV file.
final class ListenerRig: Sendable {
  let server: Server
  let folder: TemporaryFolder
  /// Where the server is, or was.
  let address: String
  private let log = Mutex<[(event: ListeningEvent, at: ContinuousClock.Instant)]>([])

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - tracks: fixtures by the name they get; each gets a tag of its own in front, so that equal
  ///     ones are different tracks.
  ///   - change: changes the server's configuration.
  /// - Throws: when the folder or the server can't be made.
  init(
    _ tracks: [(name: String, fixture: String)],
    change: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws {
    folder = try TemporaryFolder()
    try Music.fill(folder.file("music"), tracks)
    var configuration = ServerConfiguration(musicFolder: folder.file("music"))
    change(&configuration)
    server = Server(configuration)
    _ = try await server.start()
    address = server.baseURL
  }

  /// Listens, does something meanwhile, and ends.
  ///
  /// - Parameters:
  ///   - transport: changes how connections are made.
  ///   - change: changes what is listened to and how.
  ///   - body: what happens meanwhile.
  /// - Returns: how listening ended, when not by us.
  /// - Throws: what `body` throws.
  @discardableResult
  func listen(
    transport: (inout TransportConfiguration) -> Void = { _ in },
    change: (inout ListeningConfiguration) -> Void = { _ in },
    while body: (ListeningSession) async throws -> Void
  ) async throws -> (any Error)? {
    let path = folder.file("out.wav")
    var configuration = ListeningConfiguration(
      cacheFolder: folder.file("cache"), makeSink: { WAVFileSink(path: path) })
    change(&configuration)
    let address = try ServerAddress(address)
    var network = TransportConfiguration(userAgent: "BlastoiseCLI/test")
    transport(&network)
    let connection = try await ServerSession(
      server: address, configuration: network, store: nil)
    let session = ListeningSession(configuration, server: connection)
    let listening = Task { try await session.run() }
    let reading = Task {
      for await event in session.events { log.withLock { $0.append((event, .now)) } }
    }
    do {
      try await body(session)
    } catch {
      listening.cancel()
      _ = await listening.result
      throw error
    }
    listening.cancel()
    let result = await listening.result
    await reading.value
    if case .failure(let error) = result, !(error is CancellationError) { return error }
    return nil
  }

  /// What has happened so far.
  var events: [ListeningEvent] { log.withLock { $0.map(\.event) } }

  /// Forgets what has happened: downloads among it keep their files.
  func forget() { log.withLock { $0 = [] } }

  /// Waits until an event has come, ten seconds at most.
  func wait(_ count: Int = 1, for isWanted: (ListeningEvent) -> Bool) async throws {
    do {
      try await eventually("an event") { self.events.count(where: isWanted) >= count }
    } catch {
      throw Missing(
        what: "event \(count) of a kind, among \(events.map { String("\($0)".prefix(300)) })")
    }
  }

  func stop() async {
    await server.stop()
  }

  /// When output frame 0 of the WAV file was heard.
  var origin: ContinuousClock.Instant? {
    for case .device(_, _, let origin) in events { return origin }
    return nil
  }

  /// How far what was heard at a witness's moment is from what the server held true, in seconds.
  ///
  /// - Throws: `Missing` where it was silent.
  func error(_ witness: Witness) throws -> Double {
    guard let origin else { throw Missing(what: "the device's clock") }
    let heard = try Recording(folder.file("out.wav"))
    guard let error = heard.error(witness, origin: origin) else {
      throw Missing(what: "sound at \(witness.name)")
    }
    return error
  }

  /// The moments the engine moved the player.
  var seeks: Int { events.count { if case .seek = $0 { true } else { false } } }
}

/// What the server held true at a moment, to be compared with what was heard then.
struct Witness {
  var name: String
  var at: ContinuousClock.Instant
  var position: Duration
  var paused: Bool

  /// Asks the server itself, not through the protocol.
  init(_ name: String, _ server: Server) async throws {
    // The question is asked anew while a busy machine makes the answer slow: the narrowest counts.
    var (state, at, width) = try await Self.ask(server)
    for _ in 0..<20 where width > .milliseconds(5) {
      let next = try await Self.ask(server)
      if next.width < width { (state, at, width) = next }
    }
    self.at = at
    // The server's timestamp is floored to a millisecond.
    position = .seconds(state.currentTimestamp) + .microseconds(500)
    paused = state.paused
    self.name = name
  }

  private static func ask(
    _ server: Server
  ) async throws -> (state: ChannelState, at: ContinuousClock.Instant, width: Duration) {
    let before = ContinuousClock.now
    guard let state = await server.state() else { throw Missing(what: "the server's state") }
    let width = ContinuousClock.now - before
    return (state, before + width / 2, width)
  }
}

/// Something a test needs is not there.
struct Missing: Error { var what: String }

extension Recording {
  /// How far what was heard at a witness's moment is from what the server held true, in seconds;
  /// nil where it was silent.
  func error(_ witness: Witness, origin: ContinuousClock.Instant) -> Double? {
    let frame = Int((witness.at - origin).nearestFrame(rate: 44100))
    guard let heard = ruler(at: frame) else { return nil }
    let (seconds, attoseconds) = witness.position.components
    return Double(heard) / 44100 - Double(seconds) - Double(attoseconds) / 1e18
  }
}
