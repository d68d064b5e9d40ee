import RoomClient
import RoomProtocol
import RoomServer
import Storage
import Synchronization
import TestSupport
import Testing
import Transport

/// The client against the embedded room: both ends of the protocol, on loopback.
@Suite(.timeLimit(.minutes(3))) struct AgainstRoomServerTests {
  /// Keeps a download's bytes.
  private final class Sink: BodyReceiver {
    let bytes = Mutex<[UInt8]>([])
    func response(status: Int, headers: HTTPHeaders, contentLength: Int64?) {}
    func data(_ data: UnsafeRawBufferPointer) -> Bool {
      bytes.withLock { $0 += data }
      return true
    }
  }

  private static let track = Track(id: "sha256:ab/../c", title: "One", duration: 60)

  /// Runs a test with a server, behind TLS and a path prefix where `isSecure`.
  private func withRoom(
    isSecure: Bool, store: SessionStore? = nil,
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (ServerSession, Server) async throws -> Void
  ) async throws {
    var serving = ServerConfiguration()
    var configuration = TransportConfiguration(userAgent: "BlastoiseCLI/test")
    if isSecure {
      serving.certificate = Fixture.path("tls/good.pem")
      serving.key = Fixture.path("tls/good.key")
      serving.pathPrefix = "/music/room"
      configuration.certificateFile = Fixture.path("tls/ca.pem")
    }
    configure(&serving)
    let server = Server(serving)
    try await server.start()
    await server.add([Self.track, Track(id: "b", title: "Two", duration: 60)])
    let session = try await ServerSession(
      server: try ServerAddress(server.baseURL), configuration: configuration, store: store)
    do {
      try await body(session, server)
    } catch {
      Issue.record(error)
    }
    session.shutdown()
    await server.stop()
    #expect(await server.connectionCount == 0)
  }

  @Test(arguments: [false, true])
  func `a guest starts up: status, me, channels, state, library`(isSecure: Bool) async throws {
    try await withRoom(isSecure: isSecure) { session, server in
      let greeting = try await session.api.status()
      #expect(greeting.status.allowsGuests == true)
      #expect(greeting.movedTo == nil)
      let guest = try await session.api.me()
      #expect(guest.user?.isGuest == true)
      #expect(session.http.cookies.all.map(\.name) == ["blastoise_session"])
      #expect(try await session.api.me().user?.id == guest.user?.id)
      let channels = try await session.api.channels()
      let lobby = try #require(channels.elements.first { $0.isDefault })
      let timed = try await session.api.channelState(lobby.id)
      #expect(timed.state.track?.id == Self.track.id)
      #expect(timed.state.queue == nil)
      let sink = Sink()
      _ = try await session.api.library(to: sink)
      let library = try WireJSON.decode([Track].self, from: sink.bytes.withLock { $0 })
      #expect(library.map(\.title) == ["One", "Two"])
    }
  }

  @Test(arguments: [false, true])
  func `a socket brings the state at once, and what others do`(isSecure: Bool) async throws {
    try await withRoom(isSecure: isSecure) { session, server in
      try await server.createUser("ann", password: "secret")
      _ = try await session.api.login(username: "ann", password: "secret")
      let lobby = try #require(await server.state()?.channelID)
      let socket = session.join(lobby)
      var step = 0
      for await event in socket.events {
        switch event {
        case .opened:
          break
        case .message(let received):
          guard case .state(let state) = received.message else { continue }
          if step == 0 {
            #expect(state.state.track?.id == Self.track.id)
            #expect(try state.queueText?.decode().elements.count == 2)
            socket.send(.jump(index: 1))
            step = 1
          } else if step == 1, state.state.currentIndex == 1 {
            #expect(state.state.track?.title == "Two")
            step = 2
            await server.dropSockets(code: 1001)
          }
        case .ended(let end):
          #expect(end == RoomSocketEnd(wasOpen: true, closeCode: 1001))
          #expect(step == 2)
        }
      }
    }
  }

  @Test func `a login is kept on disk and taken up by the next process`() async throws {
    let folder = try TemporaryFolder()
    let sessions = folder.file("sessions")
    try await withRoom(isSecure: true, store: SessionStore(folder: sessions)) { session, server in
      try await server.createUser("ann", password: "secret")
      let wrong = await failure { () async throws(RoomError) in
        try await session.api.login(username: "ann", password: "wrong")
      }
      guard case .notSignedIn? = wrong else {
        Issue.record("\(String(describing: wrong))")
        return
      }
      let envelope = try await session.api.login(username: "ann", password: "secret")
      #expect(envelope.user?.username == "ann")
      try await session.save()

      let next = try await ServerSession(
        server: session.server, configuration: session.http.configuration,
        store: SessionStore(folder: sessions))
      defer { next.shutdown() }
      #expect(try await next.api.me().user?.username == "ann")

      try await session.api.logout()
      try await session.forget()
      try await next.reload()
      #expect(next.http.cookies.all.isEmpty)
      #expect(try await next.api.me().user?.isGuest == true)
    }
  }

  @Test func `what guests may not do is forbidden, and nothing else is wrong`() async throws {
    try await withRoom(isSecure: false) { session, server in
      let lobby = try #require(await server.state()?.channelID)
      _ = try await session.api.me()
      let error = await failure { () async throws(RoomError) in
        try await session.api.jump(to: 1, in: lobby)
      }
      guard case .forbidden(_, let message)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!message.isEmpty)
      let missing = await failure { () async throws(RoomError) in
        try await session.api.channelState("no-such-channel")
      }
      guard case .notFound? = missing else {
        Issue.record("\(String(describing: missing))")
        return
      }
    }
  }

  @Test func `a server that lets nobody in says so on REST, audio and socket`() async throws {
    try await withRoom(isSecure: false) { session, server in
      let lobby = try #require(await server.state()?.channelID)
      var faults = Faults()
      faults.rejectsEveryone = true
      await server.setFaults(faults)
      let errors = [
        await failure { () async throws(RoomError) in try await session.api.me() },
        await failure { () async throws(RoomError) in
          try await session.api.download("b", to: Sink())
        },
      ]
      for error in errors {
        guard case .notSignedIn? = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
      for await event in session.join(lobby).events {
        guard case .ended(let end) = event else { continue }
        #expect(end.refusal == 401)
      }
    }
  }

  @Test func `a track comes whole, in part, and not where there is none`() async throws {
    try await withRoom(isSecure: true) { session, server in
      let path = Fixture.path("audio/ruler.flac")
      let bytes = try Fixture.bytes(at: path)
      await server.add([Track(id: "ruler", duration: 10)], files: ["ruler": path])
      let whole = Sink()
      _ = try await session.api.download("ruler", to: whole)
      #expect(whole.bytes.withLock { $0 } == bytes)
      let part = Sink()
      let headers = HTTPHeaders(["Range": "bytes=1000-1999"])
      let response = try await session.api.download("ruler", headers: headers, to: part)
      #expect(response.status == 206)
      #expect(part.bytes.withLock { $0 } == Array(bytes[1000..<2000]))
      let error = await failure { () async throws(RoomError) in
        try await session.api.download("missing", to: Sink())
      }
      guard case .notFound? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `a server that stalls is given up after its ping`() async throws {
    try await withRoom(isSecure: false) { session, server in
      var configuration = session.http.configuration
      configuration.pingInterval = .seconds(1)
      configuration.pingTimeout = .seconds(2)
      let impatient = try await ServerSession(
        server: session.server, configuration: configuration, store: nil)
      defer { impatient.shutdown() }
      let lobby = try #require(await server.state()?.channelID)
      for await event in impatient.join(lobby).events {
        switch event {
        case .opened:
          var faults = Faults()
          faults.stallsSockets = true
          await server.setFaults(faults)
        case .message: break
        case .ended(let end):
          #expect(end.wasOpen && end.closeCode == nil)
        }
      }
      await server.setFaults(Faults())
    }
  }
}
