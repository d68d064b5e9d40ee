import RoomProtocol
import RoomServer
import Storage
import Synchronization
import TestSupport
import Testing

/// That everything the protocol has is reached from the shell, as docs/protocol.md says: by running it.
@Suite(.timeLimit(.minutes(3))) struct ProtocolMatrixTests {
  @Test func `the tables name every endpoint and message once, and tests that are there`() throws {
    let matrix = try ProtocolMatrix()
    #expect(matrix.endpoints.count == Endpoint.allCases.count)
    #expect(Set(matrix.endpoints.map(\.name)) == Set(Endpoint.allCases.map(\.rawValue)))
    let actions: [ClientAction] = [
      .switch(to: "x"), .pause, .unpause, .seek(timestamp: 1), .jump(index: 1),
    ]
    #expect(matrix.actions.map(\.name).sorted() == actions.map(name).sorted())
    let messages: [ServerMessage] = [
      .state(ReceivedState(state: ChannelState())), .channelList(TolerantList([])),
      .switched(to: nil), .kick(reason: ""), .toast(message: "", kind: ""),
      .scanProgress(scanning: true, processed: 0, total: 0), .error(message: ""),
    ]
    let imports = ["progress", "complete", "error", "cancelled"].map {
      ServerMessage.fetch(FetchUpdate(type: "fetch_\($0)"))
    }
    let names = (messages + imports).compactMap(name) + ["a state with its queue"]
    #expect(matrix.messages.map(\.name).sorted() == names.sorted())
    let suites = try Self.suites()
    for row in matrix.all {
      #expect(!row.tests.isEmpty, "\(row.name)")
      for test in row.tests { #expect(suites.contains(test), "\(row.name): \(test)") }
    }
  }

  /// Exhaustive, so that a new action can't be forgotten.
  private func name(_ action: ClientAction) -> String {
    switch action {
    case .switch: "switch"
    case .pause: "pause"
    case .unpause: "unpause"
    case .seek: "seek"
    case .jump: "jump"
    }
  }

  /// Exhaustive, so that a new message can't be forgotten; nil for what is no message of the protocol.
  private func name(_ message: ServerMessage) -> String? {
    switch message {
    case .state: "a state"
    case .channelList: "channel_list"
    case .switched: "switched"
    case .kick: "kick"
    case .toast: "toast"
    case .scanProgress: "scan_progress"
    case .fetch(let update): update.type
    case .error: "error"
    case .unknown, .broken: nil
    }
  }

  /// The suites there are, by their files.
  private static func suites() throws -> Set<String> {
    let root = "\(Fixture.root)/Tests"
    var names: Set<String> = []
    for target in try Folder.names(in: root) where target.hasSuffix("Tests") {
      for name in try Folder.names(in: "\(root)/\(target)") {
        let inner = (try? Folder.names(in: "\(root)/\(target)/\(name)")) ?? []
        for file in [name] + inner where file.hasSuffix("Tests.swift") {
          names.insert(String(file.dropLast(6)))
        }
      }
    }
    return names
  }

  // MARK: Endpoints

  @Test func `each command reaches its endpoint, and bears a page or a broken line there`()
    async throws
  {
    let visit = try await MatrixVisit()
    for row in try ProtocolMatrix().endpoints {
      let endpoint = try #require(Endpoint(rawValue: row.name))
      let words = try await visit.words(of: row.command)
      if endpoint == .socket {
        try await visit.expectRefusal(words)
      } else if endpoint == .logout {
        // It signs out here whatever the server says: `SessionTests`.
      } else if row.name.hasPrefix("GET") {
        let page = Faults.BadAnswer.page(200, title: "Hotel Wi-Fi")
        try await visit.expectFailure(words, endpoint, page, endpoint == .track ? 75 : 76)
      } else {
        try await visit.expectFailure(words, endpoint, .hangUp, 69)
      }
      visit.log.forget()
      let outcome = try await visit.run(words)
      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
      guard endpoint != .socket else { continue }
      #expect(visit.asked.contains(endpoint), "\(words): \(visit.asked)")
    }
    await visit.stage.end()
  }

  // MARK: Messages

  @Test func `what the client says is said by a command through the listener`() async throws {
    let stage = try await Stage(["login", "listener"])
    let attic = await stage.server.createChannel(name: "Attic")
    for row in try ProtocolMatrix().actions {
      let before = await stage.server.state()
      let words = row.command.split(separator: " ").map(String.init)
      let outcome = try await Program.run(
        words + ["--server", stage.server.baseURL], home: stage.home)
      #expect(outcome.status == 0, "\(row.command): \(outcome.errors)")
      let now = await stage.server.state()
      switch row.name {
      case "pause": #expect(now?.paused == true)
      case "unpause": #expect(now?.paused == false)
      case "seek": #expect((12...30).contains(now?.currentTimestamp ?? 0))
      case "jump": #expect(now?.currentIndex == 2 && before?.currentIndex == 0)
      case "switch": #expect(await stage.server.state(of: attic)?.listenerCount == 1)
      default: Issue.record("\(row.name)")
      }
    }
    await stage.end()
  }

  @Test func `what the server says is an event of its own`() async throws {
    let visit = try await MatrixVisit()
    let listener = try Program(
      ["listen", "--server", visit.stage.server.baseURL, "--output", "null", "--json"],
      home: visit.stage.home)
    try await listener.waitForOutput(#""connected""#)
    await visit.stage.server.createChannel(name: "Attic")
    for row in try ProtocolMatrix().messages {
      let before = listener.output.count
      try await visit.bringAbout(row)
      try await listener.wait("\(row.event) after \(row.command)") { program in
        try JSONLine.lines(of: String(program.output.dropFirst(before))).contains { line in
          let type = line["type"]?.text
          return line["event"]?.text == row.event && (type == nil || type == row.name)
        }
      }
    }
    #expect(try await listener.end().status == 77)
    await visit.stage.end()
  }
}

/// A stage whose server tells which endpoints it was asked for.
private final class MatrixVisit: Sendable {
  let stage: Stage
  let log = RequestLog()

  init() async throws {
    let log = log
    stage = try await Stage(["login", "imports"]) {
      $0.isVerbose = true
      $0.log = { log.note($0) }
    }
    try Music.write(
      try Music.tag("sent") + Fixture.bytes("audio/noise-cbr.mp3"), to: stage.home.file("sent.mp3"))
  }

  /// The endpoints that were asked for and did as they were told, or knew of nothing new.
  var asked: Set<Endpoint> {
    Set(
      log.lines.compactMap { line in
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3, let status = Int(words[2]), (200..<305).contains(status) else {
          return nil
        }
        return Route(method: words[0], path: words[1], isEncoded: false)?.endpoint
      })
  }

  func run(_ words: [String], home: TemporaryFolder? = nil) async throws -> Program.Outcome {
    try await Program.run(
      words + ["--server", stage.server.baseURL], home: home ?? stage.home,
      variables: ["BLASTOISE_PASSWORD": "secret"])
  }

  /// The words of a command, with what the ones in capitals stand for.
  func words(of command: String) async throws -> [String] {
    var words = command.split(separator: " ").map(String.init)
    for index in words.indices {
      switch words[index] {
      case "FILE": words[index] = stage.home.file("sent.mp3")
      case "TOKEN": words[index] = try await first("playlist share Evening --json", "token")
      case "JOB":
        #expect(
          try await run(["fetch", "http://songs.test/slow", "--no-wait"]).status == 0)
        words[index] = try await unfinishedJob()
      default: break
      }
    }
    return words
  }

  private func first(_ command: String, _ key: String) async throws -> String {
    let outcome = try await run(command.split(separator: " ").map(String.init))
    let line = try #require(try JSONLine.lines(of: outcome.output).first, "\(outcome.errors)")
    return try #require(line[key]?.text)
  }

  private func unfinishedJob() async throws -> String {
    let outcome = try await run(["fetch", "list", "--json"])
    let line = try #require(try JSONLine.lines(of: outcome.output).first, "\(outcome.errors)")
    guard case .list(let jobs)? = line["imports"] ?? line["jobs"] else {
      throw ProgramError(what: "no jobs", output: outcome.output, errors: outcome.errors)
    }
    let job = jobs.last { ["queued", "downloading"].contains($0["status"]?.text) }
    return try #require(job?["id"]?.text)
  }

  /// Runs a command whose endpoint answers badly: one line, the right status, and a word on what may
  /// have been done all the same.
  func expectFailure(
    _ words: [String], _ endpoint: Endpoint, _ answer: Faults.BadAnswer, _ status: Int32
  ) async throws {
    var faults = Faults()
    faults.failures = [.init(endpoint, answer)]
    await stage.server.setFaults(faults)
    let outcome = try await run(words)
    await stage.server.setFaults(Faults())
    #expect(outcome.status == status, "\(words), \(answer): \(outcome.errors)")
    let failures = outcome.complaints.filter { $0.hasPrefix("blastoise: ") }
    #expect(failures.count == 1, "\(words), \(answer): \(outcome.errors)")
    #expect(!outcome.errors.contains("bug"), "\(words), \(answer): \(outcome.errors)")
    if answer == .hangUp {
      #expect(outcome.errors.contains("done all the same"), "\(words): \(outcome.errors)")
    } else if endpoint != .library {
      // The library is looked at as it arrives: what is no list is told so.
      #expect((outcome.errors + outcome.output).contains("page"), "\(words): \(outcome.errors)")
    }
  }

  /// Runs a command that needs a socket where there are none.
  func expectRefusal(_ words: [String]) async throws {
    var faults = Faults()
    faults.refusesUpgrades = 503
    await stage.server.setFaults(faults)
    let outcome = try await run(words)
    await stage.server.setFaults(Faults())
    #expect(outcome.status == 69, "\(words): \(outcome.errors)")
    #expect(outcome.complaints.count == 1, "\(words): \(outcome.errors)")
  }

  /// Makes the server say something.
  func bringAbout(_ row: ProtocolMatrix.Row) async throws {
    switch row.name {
    case "scan_progress":
      await stage.server.broadcast(.scanProgress(scanning: true, processed: 1, total: 2))
    case "error": await stage.server.sendText(#"{"type":"error","message":"not understood"}"#)
    case "kick":
      let elsewhere = try TemporaryFolder()
      #expect(try await run(["login", "ada"], home: elsewhere).status == 0)
      #expect(try await run(["kick-others", "--yes"], home: elsewhere).status == 0)
    default:
      #expect(row.hasCommand, "\(row.name)")
      let outcome = try await run(try await words(of: row.command))
      #expect(
        outcome.status == (row.name == "fetch_error" ? 69 : 0), "\(row.command): \(outcome.errors)")
    }
  }
}

/// The lines a server logs.
private final class RequestLog: Sendable {
  private let noted = Mutex<[String]>([])

  var lines: [String] { noted.withLock { $0 } }

  func note(_ line: String) { noted.withLock { $0.append(line) } }

  func forget() { noted.withLock { $0.removeAll() } }
}
