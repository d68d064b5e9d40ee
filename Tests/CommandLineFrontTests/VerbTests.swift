import RoomClient
import RoomProtocol
import RoomServer
import TestSupport
import Testing

@testable import CommandLineFront

@Suite(.timeLimit(.minutes(3))) struct VerbTests {
  private static let tracks = (1...5).map { number in
    Track(
      id: TrackID("t\(number)"), title: "Title \(number)\u{1B}[J", artist: "Artist",
      duration: 600)
  }

  // MARK: - Everybody

  @Test func `a guest may look`() async throws {
    try await Shell.with(Self.tracks) { shell in
      #expect(try await shell.run("whoami").output.hasPrefix("guest"))
      let server = try await shell.run("server")
      #expect(server.lines.contains("guests   allowed"))
      #expect(try await shell.run("channel list").output.hasPrefix("> Lobby  default  5 tracks"))
      #expect(try await shell.run("mode").output == "repeat-all\n")
      let list = try await shell.run("queue list")
      #expect(list.status == .done)
      #expect(list.lines.count == 6)
      #expect(list.lines[0] == "> 1   10:00  Artist - Title 1\\x1b[J")
      #expect(list.lines[5].hasPrefix("rev "))
    }
  }

  @Test(arguments: ["next", "mode shuffle", "seek 10", "queue remove 1", "queue add t1"])
  func `a guest may not edit`(line: String) async throws {
    try await Shell.with(Self.tracks) { shell in
      let result = try await shell.run(line)
      #expect(result.status == .notPermitted)
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("blastoise: cannot "))
      #expect(result.errors.contains("\nhint: blastoise login signs in"))
    }
  }

  @Test func `a wish that the room ignores is reported after three seconds`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      var faults = Faults()
      faults.ignoresControl = true
      await shell.server.setFaults(faults)
      let start = ContinuousClock.now
      let result = try await shell.run("pause")
      #expect(ContinuousClock.now - start >= RoomVisit.patience)
      #expect(result.status == .tryAgain)
      #expect(result.output == "")
      #expect(
        result.errors == """
          blastoise: cannot pause Lobby: the room did not follow within 3 s
          hint: blastoise whoami shows what you may do

          """)
      #expect(await shell.server.state()?.paused == false)
    }
  }

  // MARK: - Those who may

  @Test func `pause and play act once and say so`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      #expect(try await shell.run("play").output == "Lobby plays already\n")
      #expect(try await shell.run("pause").output == "paused Lobby (nobody listens)\n")
      #expect(await shell.server.state()?.paused == true)
      #expect(try await shell.run("pause").output == "Lobby is paused already\n")
      #expect(try await shell.run("pause -q").output == "")
      let played = try await shell.run("play 3")
      #expect(
        played.output == "playing Lobby (nobody listens): \"Artist - Title 3\\x1b[J\"\n")
      let state = await shell.server.state()
      #expect(state?.paused == false)
      #expect(state?.currentIndex == 2)
      #expect(await shell.server.socketCount == 0)
    }
  }

  @Test func `rows are jumped to`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      for (line, index) in [
        ("next", 1), ("prev", 0), ("prev", 4), ("next", 0), ("jump 4", 3), ("jump title 2", 1),
        ("jump @last", 4), ("jump @current", 4),
      ] {
        #expect(try await shell.run(line).status == .done, "\(line)")
        #expect(await shell.server.state()?.currentIndex == index, "\(line)")
      }
      let past = try await shell.run("jump 6")
      #expect(past.status == .notThere)
      #expect(past.errors == "blastoise: there is no row 6: the queue has 5\n")
      #expect(try await shell.run("jump artist").status == .usage)
    }
  }

  @Test func `a place in the track is sought, within it`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      _ = try await shell.run("pause")
      for (line, place) in [
        ("seek 1:30", 90.0), ("seek +15", 105), ("seek -60", 45), ("seek 50%", 300),
        ("seek 99:00", 600), ("seek -99:00", 0),
      ] {
        #expect(try await shell.run(line).status == .done, "\(line)")
        #expect(await shell.server.state()?.currentTimestamp == place, "\(line)")
      }
      #expect(try await shell.run("seek soon").status == .usage)
    }
  }

  @Test(arguments: [
    // Where it was, what is wished, where a state after a second has it, whether that is as wished.
    (100.0, "+2", 102.9, true), (100, "+2", 101, false), (100, "+1", 101.9, true),
    (100, "+1", 101, false), (100, "-15", 85.5, true), (100, "-15", 101, false),
    (100, "50%", 301, true), (100, "50%", 101, false), (100, "+0", 101, true),
    // At its end the track may have begun anew.
    (100, "100%", 600, true), (100, "100%", 0.2, true), (100, "100%", 101, false),
    (599, "100%", 600, true), (0, "1:00", 60, true), (0, "1:00", 1, false),
  ])
  func `a seek has been followed where the room is nearer to the place than by itself`(
    before: Double, wish: String, after: Double, isFollowed: Bool
  ) throws {
    let now = ContinuousClock.now
    let position = try #require(TimeText.position(wish))
    let asked = try SeekCommand.Wish(position, in: playing(at: before), at: now)
    #expect(asked.isFulfilled(by: playing(at: after), at: now + .seconds(1)) == isFollowed)
  }

  @Test func `a seek in a paused room, and in one that has gone on`() throws {
    let now = ContinuousClock.now
    let asked = try SeekCommand.Wish(
      .relative(.seconds(1)), in: playing(at: 10, paused: true), at: now)
    #expect(!asked.isFulfilled(by: playing(at: 10, paused: true), at: now + .seconds(2)))
    #expect(asked.isFulfilled(by: playing(at: 11, paused: true), at: now + .seconds(2)))
    #expect(asked.isFulfilled(by: playing("t2", at: 0), at: now))
  }

  /// A room that plays a track of ten minutes.
  private func playing(_ id: String = "t1", at seconds: Double, paused: Bool = false) -> RoomPicture
  {
    let track = Track(id: TrackID(id), title: "Title", duration: 600)
    return RoomPicture(
      id: "lobby", name: "Lobby", state: ChannelState(track: track, paused: paused),
      position: .seconds(seconds), queueLength: nil, others: 0)
  }

  @Test func `modes are set, stepped through and checked`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      #expect(
        try await shell.run("mode shuffle").output == "Lobby is in shuffle (nobody listens)\n")
      #expect(await shell.server.state()?.playbackMode == .shuffle)
      #expect(try await shell.run("mode next").output == "Lobby is in once (nobody listens)\n")
      #expect(try await shell.run("mode once").output == "Lobby is in once already\n")
      #expect(try await shell.run("mode loud").status == .usage)
    }
  }

  @Test func `the queue is edited, and the edit is bound to what was seen`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      let ids = { await shell.server.state()?.queue?.map(\.id.rawValue).joined() ?? "" }
      let revision = try #require(try await shell.run("queue list").lines.last?.dropFirst(4))
      #expect(try await shell.run("queue add t1 --rev \(revision)").status == .done)
      #expect(await ids() == "t1t2t3t4t5t1")
      let stale = try await shell.run("queue add t1 --rev \(revision) --json")
      #expect(stale.status == .tryAgain)
      #expect(stale.errors.contains(#""code": "conflict""#))
      #expect(try await shell.run("queue add --next t5").status == .done)
      #expect(await ids() == "t1t5t2t3t4t5t1")
      #expect(try await shell.run("queue add --at 1 @3 t4").status == .done)
      #expect(await ids() == "t2t4t1t5t2t3t4t5t1")
      #expect(try await shell.run("queue add --at 10 t3").status == .done)
      #expect(try await shell.run("queue remove 1-2 @last 6").status == .done)
      #expect(await ids() == "t1t5t2t4t5t1")
      #expect(try await shell.run("queue add t9").status == .notThere)
      #expect(try await shell.run("queue add --at 9 t1").status == .notThere)
      #expect(try await shell.run("queue add --at 1 --next t1").status == .usage)
      #expect(try await shell.run("queue remove 7").status == .notThere)
      #expect(await ids() == "t1t5t2t4t5t1")
    }
  }

  @Test func `10,000 rows are listed, found and moved`() async throws {
    let tracks = (1...10_000).map { Track(id: TrackID("t\($0)"), title: "Title \($0)") }
    try await Shell.with(tracks) { shell in
      try await shell.signUp("ada")
      let list = try await shell.run("queue list")
      try #require(list.lines.count == 10_001)
      #expect(list.lines[9999] == "  10000   --:--  Title 10000")
      #expect(try await shell.run("jump title 9999").status == .done)
      #expect(try await shell.run("queue move 1-3 7 --to @last").status == .done)
      let ids = await shell.server.state()?.queue?.map(\.id.rawValue) ?? []
      #expect(ids.prefix(4) == ["t4", "t5", "t6", "t8"])
      #expect(ids.suffix(4) == ["t1", "t2", "t3", "t7"])
      #expect(await shell.server.state()?.track?.id == "t9999")
    }
  }

  @Test func `an edit that ends otherwise is said, and what there is instead`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      let failures = try await shell.editing { edit in
        // The second request is refused.
        let half = await #expect(throws: Diagnostic.self) {
          try await edit.apply([.move([2], to: 0), .remove([99])], wishing: edit.ids)
        }
        // The server does another thing than was wished.
        let other = await #expect(throws: Diagnostic.self) {
          let now = try await edit.renewed()
          try await now.apply([.move([1], to: 0)], wishing: edit.ids)
        }
        return [half, other].compactMap(\.self)
      }
      try #require(failures.count == 2)
      #expect(failures[0].code == .serverError)
      #expect(failures[0].what == "only a part was done: cannot test the queue of Lobby")
      #expect(failures[0].hint == "blastoise queue list shows the queue as it is")
      #expect(failures[1].code == .unconfirmed)
      #expect(
        failures[1].why?.hasPrefix("the queue is another than wished: row 2 is \"Artist") == true)
    }
  }

  @Test func `the same in JSON`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      let list = try await shell.run("queue list --json").output
      #expect(list.hasPrefix(#"{"channel_id": "lobby", "channel": "Lobby", "rev": ""#))
      #expect(list.contains(#""row": 1, "index": 0, "id": "t1", "title": "Title 1\u001b[J""#))
      let paused = try await shell.run("pause --json").output
      #expect(paused.contains(#""listeners": 0, "paused": true, "mode": "repeat-all""#))
      let who = try await shell.run("whoami --json").output
      #expect(who.contains(#""user": {"id": 1, "username": "ada", "guest": false, "admin": true}"#))
    }
  }

  // MARK: - Sessions

  @Test func `a session lasts from login to logout, and the password is nowhere`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      let other = try shell.another()
      let wrong = try await other.run("login ada", environment: ["BLASTOISE_PASSWORD": "hunter2"])
      #expect(wrong.status == .notPermitted)
      #expect(wrong.errors == "blastoise: cannot sign in as ada: wrong name or password\n")
      let right = try await other.run("login ada", environment: ["BLASTOISE_PASSWORD": "secret"])
      #expect(right.output == "signed in to \(shell.server.baseURL) as ada\n")
      #expect(try await other.run("whoami").output == "ada (admin)\nmay do everything\n")
      #expect(try await other.run("logout").status == .done)
      #expect(try await other.run("logout").status == .done)
      #expect(try await other.run("whoami").output.hasPrefix("guest"))
      #expect(try await shell.run("whoami").output == "ada (admin)\nmay do everything\n")
    }
  }

  @Test(
    arguments: [
      ("http://rooms.example.org", true), ("http://8.8.8.8:3001", true),
      ("https://rooms.example.org", false), ("rooms.example.org", false),
      ("http://127.0.0.1:3001", false), ("http://192.168.1.10", false), ("http://box.local", false),
      ("http://[::1]", false),
    ])
  func `a password on a public line is warned of`(address: String, isWarned: Bool) throws {
    let warning = SignInCommand.warning(before: try ServerAddress(address))
    #expect((warning != nil) == isWarned)
    #expect(warning?.contains(address) ?? true)
  }

  @Test func `an unknown room, a wrong address and a missing name are named`() async throws {
    try await Shell.with(Self.tracks) { shell in
      let room = try await shell.run("pause --channel Attic")
      #expect(room.status == .notThere)
      #expect(room.errors == "blastoise: no room \"Attic\"\nhint: rooms are Lobby\n")
      let address = try await shell.run("whoami --server ftp://x")
      #expect(address.status == .usage)
      let secret = try await shell.run("whoami --server http://ada:hunter2@x")
      #expect(secret.status == .usage)
      #expect(!secret.errors.contains("hunter2"))
      let dead = try await shell.run("whoami --server http://127.0.0.1:1")
      #expect(dead.status == .unavailable)
      #expect(try await shell.run("login").status == .usage)
    }
  }

  @Test func `an empty room has nothing to play or to go to`() async throws {
    try await Shell.with([]) { shell in
      try await shell.signUp("ada")
      #expect(try await shell.run("next").status == .notThere)
      #expect(try await shell.run("seek 10").status == .notThere)
      #expect(try await shell.run("queue list").lines.first == "the queue is empty")
    }
  }

  @Test func `a server that leaves the queue out is told as such`() async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      var faults = Faults()
      faults.omitsQueue = true
      await shell.server.setFaults(faults)
      let result = try await shell.run("next")
      #expect(result.status == .tryAgain)
      #expect(result.errors == "blastoise: the queue of Lobby is not known\n")
      #expect(try await shell.run("pause").status == .done)
    }
  }
}
