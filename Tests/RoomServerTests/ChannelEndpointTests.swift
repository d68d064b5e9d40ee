import RoomProtocol
import TestSupport
import Testing

@testable import RoomServer

/// A request to the lobby and the status it gets from a guest and from a user.
struct AccessRow: CustomTestStringConvertible {
  var method: String
  var path: String
  var json: String?
  var user = 200
  var guest = 403

  var testDescription: String { "\(method) \(path) \(json ?? "")" }
}

@Suite(.serialized, .timeLimit(.minutes(3))) struct ChannelEndpointTests {
  @Test func `the default channel holds the library and plays`() async throws {
    let clock = ManualWallClock()
    try await withServer {
      $0.wallClock = { clock.now }
    } _: { (server: ServerHarness) async throws in
      let channels: [ChannelInfo] = try await server.send("GET", "/api/channels").decode()
      #expect(channels.map(\.name) == ["Lobby"])
      #expect(channels.first?.isDefault == true)
      #expect(channels.first?.trackCount == 3)
      let state: ChannelState = try await server.send("GET", "/api/channels/lobby").decode()
      #expect(state.track?.id == "sha256:a")
      #expect(!state.paused)
      #expect(state.queue == nil)
      #expect(state.playbackMode == .repeatAll)
      let library: [Track] = try await server.send("GET", "/api/library").decode()
      #expect(library == threeTracks)
    }
  }

  @Test(arguments: [
    AccessRow(method: "POST", path: "/api/channels/lobby/jump", json: #"{"index":1}"#),
    AccessRow(method: "POST", path: "/api/channels/lobby/jump", json: #"{"index":99}"#),
    AccessRow(method: "POST", path: "/api/channels/lobby/jump", json: "{}", user: 400),
    AccessRow(method: "POST", path: "/api/channels/none/jump", json: #"{"index":1}"#, user: 404),
    AccessRow(method: "POST", path: "/api/channels/lobby/seek", json: #"{"timestamp":1.5}"#),
    AccessRow(method: "POST", path: "/api/channels/lobby/seek", json: #"{"timestamp":1e300}"#),
    AccessRow(
      method: "POST", path: "/api/channels/lobby/seek", json: #"{"timestamp":"x"}"#, user: 400),
    AccessRow(method: "POST", path: "/api/channels/lobby/mode", json: #"{"mode":"shuffle"}"#),
    AccessRow(
      method: "POST", path: "/api/channels/lobby/mode", json: #"{"mode":"dance"}"#, user: 400),
    AccessRow(method: "PATCH", path: "/api/channels/lobby/queue", json: #"{"add":["sha256:a"]}"#),
    AccessRow(
      method: "PATCH", path: "/api/channels/lobby/queue", json: #"{"add":["nope"]}"#, user: 400),
    AccessRow(
      method: "PATCH", path: "/api/channels/lobby/queue", json: #"{"remove":[3]}"#, user: 400),
    AccessRow(
      method: "PATCH", path: "/api/channels/lobby/queue", json: #"{"remove":[0],"set":[]}"#,
      user: 400),
    AccessRow(method: "PATCH", path: "/api/channels/lobby", json: #"{"name":"Hall"}"#),
    AccessRow(method: "PATCH", path: "/api/channels/lobby", json: #"{"name":"  "}"#, user: 400),
    AccessRow(method: "DELETE", path: "/api/channels/lobby", user: 400),
    AccessRow(method: "POST", path: "/api/channels", json: #"{"name":"New"}"#, user: 201),
    AccessRow(method: "POST", path: "/api/channels", json: "{}", user: 400),
    AccessRow(method: "POST", path: "/api/auth/kick-others"),
    AccessRow(method: "GET", path: "/api/channels/none", user: 404, guest: 404),
    AccessRow(method: "GET", path: "/api/channels/lobby/ws", user: 426, guest: 426),
    AccessRow(method: "GET", path: "/api/playlists", guest: 200),
    AccessRow(method: "POST", path: "/api/playlists", json: #"{"name":"Mix"}"#, user: 201),
    AccessRow(method: "POST", path: "/api/playlists", json: #"{"description":"x"}"#, user: 400),
    AccessRow(method: "GET", path: "/api/playlists/none", user: 404, guest: 404),
    AccessRow(method: "PATCH", path: "/api/playlists/none", json: "{}", user: 404),
    AccessRow(method: "DELETE", path: "/api/playlists/none", user: 404),
    AccessRow(
      method: "PATCH", path: "/api/playlists/none/tracks", json: #"{"set":[]}"#, user: 404),
    AccessRow(method: "POST", path: "/api/playlists/none/share", user: 404),
    AccessRow(method: "DELETE", path: "/api/playlists/none/share", user: 404),
    AccessRow(method: "GET", path: "/api/playlists/shared/none", user: 404, guest: 404),
    AccessRow(method: "POST", path: "/api/playlists/shared/none", user: 404),
    AccessRow(method: "GET", path: "/api/nothing", user: 404, guest: 404),
    AccessRow(method: "PUT", path: "/api/channels", user: 405, guest: 405),
  ])
  func `guests listen, users control`(row: AccessRow) async throws {
    try await withServer { (server: ServerHarness) async throws in
      let guest = try await server.send("GET", "/api/auth/me").cookie
      for cookie in [nil, guest] {
        let response = try await server.send(
          row.method, row.path, cookie: cookie, json: row.json)
        #expect(response.status == row.guest)
      }
      let cookie = try await server.signIn()
      let response = try await server.send(row.method, row.path, cookie: cookie, json: row.json)
      #expect(response.status == row.user)
      if row.user >= 400 { #expect(ServerErrorText.of(response) != nil) }
    }
  }

  @Test func `control moves the room's clock`() async throws {
    let clock = ManualWallClock()
    try await withServer {
      $0.wallClock = { clock.now }
    } _: { (server: ServerHarness) async throws in
      let cookie = try await server.signIn()
      func state() async throws -> ChannelState {
        try await server.send("GET", "/api/channels/lobby").decode()
      }
      clock.advance(by: 4.25)
      #expect(try await state().currentTimestamp == 4.25)
      _ = try await server.send(
        "POST", "/api/channels/lobby/seek", cookie: cookie, json: #"{"timestamp":7.5}"#)
      clock.advance(by: 1)
      #expect(try await state().currentTimestamp == 8.5)
      _ = try await server.send(
        "POST", "/api/channels/lobby/seek", cookie: cookie, json: #"{"timestamp":99}"#)
      #expect(try await state().currentTimestamp == 10)
      _ = try await server.send(
        "POST", "/api/channels/lobby/jump", cookie: cookie, json: #"{"index":2}"#)
      #expect(try await state().currentIndex == 2)
      #expect(try await state().currentTimestamp == 0)
      let mode = try await server.send(
        "POST", "/api/channels/lobby/mode", cookie: cookie, json: #"{"mode":"once"}"#)
      #expect(mode.text == #"{"playbackMode":"once","success":true}"#)
    }
  }

  @Test func `an advance starts at nought, late by what the timer is late`() async throws {
    let clock = ManualWallClock()
    try await withServer {
      $0.wallClock = { clock.now }
      $0.advanceInterval = .milliseconds(10)
    } _: { (server: ServerHarness) async throws in
      clock.advance(by: 10.7)
      try await eventually("b plays") { await server.server.state()?.currentIndex == 1 }
      #expect(await server.server.state()?.currentTimestamp == 0)
      // A whole track may pass between two looks at the clock: only one advance comes of it.
      clock.advance(by: 500)
      try await eventually("c plays") { await server.server.state()?.currentIndex == 2 }
      #expect(await server.server.state()?.currentTimestamp == 0)
      clock.advance(by: 30)
      try await eventually("all repeats") { await server.server.state()?.currentIndex == 0 }
      await server.server.setMode(.repeatOne)
      clock.advance(by: 10)
      try await eventually("one repeats") { await server.server.state()?.currentTimestamp == 0 }
      #expect(await server.server.state()?.currentIndex == 0)
      await server.server.setMode(.once)
      await server.server.control(.jump(index: 2))
      clock.advance(by: 31)
      try await eventually("once pauses") { await server.server.state()?.paused == true }
      #expect(await server.server.state()?.currentIndex == 2)
      #expect(await server.server.state()?.currentTimestamp == 30)
    }
  }

  @Test func `a track of unknown length has no end`() async throws {
    let clock = ManualWallClock()
    let unknown = [Track(id: "u"), Track(id: "v", duration: 5)]
    try await withServer(tracks: unknown) {
      $0.wallClock = { clock.now }
      $0.advanceInterval = .milliseconds(5)
    } _: { (server: ServerHarness) async throws in
      clock.advance(by: 100_000)
      try await Task.sleep(for: .milliseconds(50))
      let state: ChannelState = try await server.send("GET", "/api/channels/lobby").decode()
      #expect(state.track?.id == "u")
      #expect(state.track?.duration == nil)
      #expect(state.currentTimestamp == 100_000)
    }
  }

  @Test func `channels are made, renamed and deleted by their owner`() async throws {
    try await withServer { (server: ServerHarness) async throws in
      let ann = try await server.signIn()
      let bob = try await server.signIn("bob")
      let made: ChannelInfo = try await server.send(
        "POST", "/api/channels", cookie: bob, json: #"{"name":" Den ","description":"quiet"}"#
      ).decode()
      #expect(made.name == "Den")
      #expect(made.description == "quiet")
      #expect(made.trackCount == 0)
      let path = "/api/channels/\(made.id)"
      let empty: ChannelState = try await server.send("GET", path).decode()
      #expect(empty.track == nil)
      let lobby = try await server.send(
        "PATCH", "/api/channels/lobby", cookie: bob, json: #"{"name":"Mine"}"#)
      #expect(lobby.status == 403)
      let renamed: ChannelInfo = try await server.send(
        "PATCH", path, cookie: ann, json: #"{"name":"Study"}"#
      ).decode()
      #expect(renamed.name == "Study")
      #expect(renamed.description == "quiet")
      #expect(try await server.send("DELETE", path, cookie: bob).status == 200)
      #expect(try await server.send("GET", path).status == 404)
    }
  }

  @Test func `rooms outlive the server`() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualWallClock()
    let configure: (inout ServerConfiguration) -> Void = {
      $0.databasePath = "\(folder.path)/room.db"
      $0.wallClock = { clock.now }
    }
    var den: ChannelID?
    try await withServer(configure) { (server: ServerHarness) async throws in
      den = await server.server.createChannel(name: "Den")
      await server.server.edit(.add(["sha256:b", "sha256:b", "sha256:c"]), of: den)
      await server.server.control(.jump(index: 1), in: den)
      await server.server.control(.pause, in: den)
      await server.server.control(.seek(timestamp: 12.5), in: den)
      await server.server.setMode(.shuffle, of: den)
    }
    var configuration = ServerConfiguration()
    configure(&configuration)
    let again = Server(configuration)
    try await again.start()
    await again.add(threeTracks)
    let state = await again.state(of: den)
    #expect(state?.channelName == "Den")
    #expect(state?.queue?.map(\.id) == ["sha256:b", "sha256:b", "sha256:c"])
    #expect(state?.currentIndex == 1)
    #expect(state?.currentTimestamp == 12.5)
    #expect(state?.paused == true)
    #expect(state?.playbackMode == .shuffle)
    await again.stop()
  }
}

/// The text of an answer that is no success.
enum ServerErrorText {
  static func of(_ response: RawResponse) -> String? {
    RoomProtocol.ServerError.text(in: response.body)
  }
}
