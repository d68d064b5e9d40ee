import Caching
import FoundationEssentials
import Listening
import Playback
import RoomClient
import RoomProtocol
import RoomServer
import Synchronization
import TestSupport
import Testing
import Transport

/// A room server of a few lines, which says what no library lets a server say.
struct StandInRoom: Sendable {
  /// The state sent when the socket opens.
  var state: String
  /// The bytes of every track.
  var track: [UInt8]
  /// What follows the state; the connection ends with it.
  var afterState: @Sendable (RawConnection) -> Void = { $0.waitForEnd() }

  func start() throws -> RawServer {
    try RawServer { connection in
      while let head = connection.readHead() {
        let path = head.split(separator: " ").dropFirst().first ?? ""
        switch path {
        case "/api/auth/me": connection.answer("200 OK", body: #"{"user": null}"#)
        case "/api/status": connection.answer("200 OK", body: "{}")
        case "/api/channels":
          connection.answer("200 OK", body: #"[{"id": "r", "name": "R", "isDefault": true}]"#)
        case _ where path.hasSuffix("/ws"):
          connection.acceptWebSocket(head)
          connection.writeFrame(1, Array(state.utf8))
          return afterState(connection)
        case _ where path.hasPrefix("/api/tracks/"):
          connection.answer("200 OK", ["Content-Type: audio/flac"], bytes: track)
        default: connection.answer("404 Not Found")
        }
      }
    }
  }
}

extension RawConnection {
  /// Sends a whole answer of bytes.
  func answer(_ status: String, _ headers: [String], bytes: [UInt8]) {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(bytes.count)"] + headers
    write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + bytes)
  }
}

/// What only a stand-in can say: ids that are paths, a kick without an end.
@Suite(.serialized, .timeLimit(.minutes(3))) struct StandInRoomTests {
  private func listen(
    _ stand: RawServer, cache: String,
    while body:
      @escaping @Sendable (_ events: @escaping @Sendable () -> [ListeningEvent])
      async throws -> Void
  ) async throws -> (any Error)? {
    let session = ListeningSession(
      ListeningConfiguration(cacheFolder: cache, makeSink: { NullSink() }),
      server: try await ServerSession(
        server: try ServerAddress("127.0.0.1:\(stand.port)"),
        configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"), store: nil))
    let listening = Task { try await session.run() }
    let log = EventLog()
    let reading = Task { for await event in session.events { log.add(event) } }
    let doing = Task { try await body { log.events } }
    let done = await doing.result
    listening.cancel()
    let result = await listening.result
    await reading.value
    try done.get()
    if case .failure(let error) = result, !(error is CancellationError) { return error }
    return nil
  }

  /// An id that is more than a name.
  struct HostileID: CustomTestStringConvertible, Sendable, ExpressibleByStringLiteral {
    var text: String
    init(stringLiteral text: String) { self.text = text }
    var testDescription: String { "\(text.prefix(40).debugDescription)" }
  }

  static let ids: [HostileID] = [
    "../../etc/passwd", "/etc/passwd", "..", ".", "a/../../b", "..\\..\\b", "a\u{0}b", "%2e%2e/x",
    "sha256:../../../../../../../../../../x", "\u{1B}[2J\n", "a?b#c", "ü ñ",
    HostileID(stringLiteral: String(repeating: "x", count: 3000)),
  ]

  @Test(arguments: ids)
  func `an id is never a path, here or there`(id: HostileID) async throws {
    let folder = try TemporaryFolder()
    let cache = folder.file("deep/down/cache")
    let track = #"{"id": \#(json(id.text)), "title": null, "duration": 50}"#
    let stand = try StandInRoom(
      state: #"{"track": \#(track), "channelId": "r", "paused": false, "currentTimestamp": 1}"#,
      track: Fixture.bytes("audio/ruler.flac")
    ).start()
    let end = try await listen(stand, cache: cache) { events in
      try await eventually("the sound") { events().contains { $0.isStarted } }
      try await eventually("the end of the download") {
        events().contains { event in
          if case .download(.finished(_, _)) = event { true } else { false }
        }
      }
    }
    stand.stop()
    #expect(end == nil)
    let request = try #require(stand.heads.first { $0.hasPrefix("GET /api/tracks/") })
    let target = String(request.split(separator: " ")[1].dropFirst("/api/tracks/".count))
    #expect(!target.contains("/") && !target.contains("?") && !target.contains("#"))
    #expect(target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    #expect(![".", ".."].contains(target))
    // Whatever was written lies in the cache, and bears no name of the server's.
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let strangers = files.filter { name in
      !"deep/down/cache".hasPrefix(name)
        && name.wholeMatch(
          of:
            /deep\/down\/cache(\/index[a-z.\-]*|\/(tracks|libraries|parts|quarantine)(\/[0-9a-f\/]+[a-z.\-]*)?|\/(lock|ballast|playing\.lock))/
        )
          == nil
    }
    #expect(strangers.isEmpty, "\(strangers)")
  }

  @Test func `a kick is final though the server keeps the line open`() async throws {
    let folder = try TemporaryFolder()
    let stand = try StandInRoom(
      state: #"{"track": null, "channelId": "r"}"#, track: []
    ) { connection in
      connection.writeFrame(1, Array(#"{"type": "kick", "reason": "out"}"#.utf8))
      // Says nothing more, and answers no close frame.
      connection.waitForEnd()
    }.start()
    let kickedAt = ContinuousClock.now
    let end = try await listen(stand, cache: folder.file("cache")) { events in
      try await Task.sleep(for: .seconds(3))
    }
    stand.stop()
    guard case .kicked(reason: "out")? = end as? ListeningEnd else {
      Issue.record("\(String(describing: end)) after \(ContinuousClock.now - kickedAt)")
      return
    }
    #expect(stand.heads.count { $0.contains("/ws ") } == 1)
  }

  private func json(_ text: String) -> String {
    let bytes = (try? JSONEncoder().encode(text)) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Events as they came, for whoever looks on from elsewhere.
private final class EventLog: Sendable {
  private let log = Mutex<[ListeningEvent]>([])
  var events: [ListeningEvent] { log.withLock { $0 } }
  func add(_ event: ListeningEvent) { log.withLock { $0.append(event) } }
}
