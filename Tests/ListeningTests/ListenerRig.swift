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
    mkdir(folder.file("music"), 0o700)
    for track in tracks {
      let bytes = Self.tag(track.name) + (try Fixture.bytes(track.fixture))
      try write(bytes, to: folder.file("music/\(track.name)"))
    }
    var configuration = ServerConfiguration(musicFolder: folder.file("music"))
    change(&configuration)
    server = Server(configuration)
    _ = try await server.start()
  }

  /// Listens, does something meanwhile, and ends.
  ///
  /// - Returns: how listening ended, when not by us.
  @discardableResult
  func listen(
    change: (inout ListeningConfiguration) -> Void = { _ in },
    while body: (ListeningSession) async throws -> Void
  ) async throws -> (any Error)? {
    let path = folder.file("out.wav")
    var configuration = ListeningConfiguration(
      cacheFolder: folder.file("cache"), makeSink: { WAVFileSink(path: path) })
    change(&configuration)
    let address = try ServerAddress(server.baseURL)
    let connection = try await ServerSession(
      server: address, configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"),
      store: nil)
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

  /// The moments the engine moved the player.
  var seeks: Int { events.count { if case .seek = $0 { true } else { false } } }

  /// An ID3v2 tag with a comment, which decoders skip: it makes two equal files two tracks.
  private static func tag(_ text: String) -> [UInt8] {
    let body = Array(text.utf8) + [UInt8](repeating: 0, count: 100)
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(body.count)] + body
  }
}

private func write(_ bytes: [UInt8], to path: String) throws {
  guard let file = fopen(path, "wb") else { throw Missing(what: path) }
  defer { fclose(file) }
  guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
    throw Missing(what: path)
  }
}

/// What the server held true at a moment, to be compared with what was heard then.
struct Witness {
  var name: String
  var at: ContinuousClock.Instant
  var position: Duration
  var paused: Bool

  /// Asks the server itself, not through the protocol.
  init(_ name: String, _ server: Server) async throws {
    let before = ContinuousClock.now
    guard let state = await server.state() else { throw Missing(what: "the server's state") }
    at = before + (ContinuousClock.now - before) / 2
    // The server's timestamp is floored to a millisecond.
    position = .seconds(state.currentTimestamp) + .microseconds(500)
    paused = state.paused
    self.name = name
  }
}

/// Something a test needs is not there.
struct Missing: Error { var what: String }

/// The samples of a 16-bit stereo WAV file.
struct Recording {
  let samples: [Int16]

  init(_ path: String) throws {
    let bytes = try Fixture.bytes(at: path)
    samples = bytes.dropFirst(44).withUnsafeBytes { raw in
      Array(raw.bindMemory(to: Int16.self))
    }
  }

  /// The ruler's frame heard at an output frame; nil where it is silent, or behind the end.
  func ruler(at frame: Int) -> FrameCount? {
    guard frame >= 0, frame * 2 + 1 < samples.count else { return nil }
    let (left, right) = (Int(samples[frame * 2]), Int(samples[frame * 2 + 1]))
    return left == 0 && right == 0 ? nil : Ruler.frame(left: left, right: right)
  }

  /// How far what was heard at a witness's moment is from what the server held true, in seconds;
  /// nil where it was silent.
  func error(_ witness: Witness, origin: ContinuousClock.Instant) -> Double? {
    let frame = Int((witness.at - origin).nearestFrame(rate: 44100))
    guard let heard = ruler(at: frame) else { return nil }
    let (seconds, attoseconds) = witness.position.components
    return Double(heard) / 44100 - Double(seconds) - Double(attoseconds) / 1e18
  }
}
