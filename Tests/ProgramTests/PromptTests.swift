import Glibc
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// The prompt of `listen` on a terminal, with libedit where it is built in and without.
@Suite(.timeLimit(.minutes(3))) struct PromptTests {
  private func listening(
    home: TemporaryFolder? = nil, columns: Int = 80, type: String = "xterm", user: String? = nil,
    _ body: (TerminalProgram, Room) async throws -> Void
  ) async throws {
    let room = try await Room.ruler()
    let home = try home ?? TemporaryFolder()
    if let user {
      let signUp = try await Program.run(
        ["signup", user, "--server", room.url], home: home,
        variables: ["BLASTOISE_PASSWORD": "secret"])
      try #require(signUp.status == 0)
    }
    let program = try TerminalProgram(room.listen(), home: home, columns: columns, type: type)
    do {
      try await program.wait(for: "joined Lobby")
      try await body(program, room)
    } catch {
      await room.stop()
      throw error
    }
    await room.stop()
  }

  @Test func `a half typed line survives what happens, which appears above it`() async throws {
    try await listening { program, room in
      try await program.wait("the screen differs") { $0.last?.hasPrefix(">") == true }
      program.type("queue ad")
      try await program.wait(forLast: "> queue ad")
      try await room.say("the kettle boils")
      try await program.wait(for: "the kettle boils")
      try await program.wait(forLast: "> queue ad")
      let lines = program.lines
      let place = try #require(lines.firstIndex { $0.contains("the kettle boils") })
      // Below it stand the now-playing line and the line being typed alone.
      #expect(place == lines.count - 3, "\(lines)")
      program.type("d nothing-of-this-name\r")
      try await program.wait(for: "guests may only listen")
      #expect(program.lines.contains("> queue add nothing-of-this-name"))
    }
  }

  @Test func `a command is run with the words of the shell, and a mistake is one line`()
    async throws
  {
    try await listening { program, _ in
      program.type("queue list\r")
      try await program.wait(for: "rev ")
      program.type("queue lisst\r")
      try await program.wait(for: "did you mean list?")
      program.type("queue \"half\r")
      try await program.wait(for: "is not closed")
      program.type("listen\r")
      try await program.wait(for: "listen is not for the prompt")
      program.type("login ada\r")
      try await program.wait(for: "login is not for the prompt")
      program.type("help queue add\r")
      try await program.wait(for: "blastoise help options lists")
    }
  }

  @Test func `a question is answered by the next line, and Ctrl-C gives up a command alone`()
    async throws
  {
    try await listening(user: "ada") { program, _ in
      program.type("queue clear\r")
      try await program.wait(for: "? [y/N]")
      program.type("n\r")
      try await program.wait(for: "nothing was done")
      program.type("queue clear\r")
      try await program.wait("no second question") { lines in
        lines.count { $0.contains("? [y/N]") } == 2
      }
      program.type("y\r")
      try await program.wait(for: "cleared the queue")
      program.type("status --watch\r")
      // The now-playing line says it, and the command.
      try await program.wait("nothing watched") { lines in
        lines.count { $0.contains("Lobby: nothing plays") } == 2
      }
      program.type("\u{3}server\r")
      try await program.wait(for: "sign-up")
      program.type("\u{3}")
      #expect(try await program.end() == 0)
    }
  }

  @Test(arguments: ["quit\r", "\u{4}", "\u{3}"])
  func `quit, Ctrl-D and Ctrl-C end it, and the terminal is as before`(keys: String) async throws {
    try await listening { program, _ in
      try await program.wait("the screen differs") { $0.last?.hasPrefix(">") == true }
      program.type(keys)
      #expect(try await program.end() == 0)
      // No now-playing line is left behind.
      #expect(!program.lines.contains { $0.contains("━") || $0.contains("[#") })
    }
  }

  /// The terminal's types: one that libedit knows, and one that it does not.
  static let types = ["xterm", "nonsense"]

  @Test(arguments: types)
  func `what is pasted is run line by line, and each stands behind its mark`(
    type: String
  ) async throws {
    try await listening(type: type) { program, _ in
      try await program.wait("the screen differs") { $0.last?.hasPrefix(">") == true }
      program.type("help volume\rmode\rqueue\rsea")
      try await program.wait(forLast: "> sea")
      try await program.wait(for: "rev ")
      let lines = program.lines
      for line in ["help volume", "mode", "queue"] {
        #expect(lines.contains("> \(line)"), "\(lines)")
        #expect(!lines.contains(line), "\(lines)")
      }
      #expect(!lines.contains { $0.contains("No entry for") }, "\(lines)")
    }
  }

  @Test(arguments: types)
  func `a paused room notices at once that its terminal has become narrower`(
    type: String
  ) async throws {
    try await listening(type: type) { program, room in
      await room.server.control(.pause)
      try await program.wait(for: "|| ")
      program.type("queue add something")
      try await program.wait(forLast: "> queue add something")
      program.resize(columns: 40)
      try await program.wait("not filled anew") { lines in
        lines.suffix(2).allSatisfy { $0.count < 40 } && lines.last == "> queue add something"
      }
    }
  }

  @Test(.enabled(if: access("/bin/bash", X_OK) == 0), arguments: types)
  func `in the background it leaves the terminal to the shell, and takes it back`(
    type: String
  ) async throws {
    let room = try await Room.ruler()
    let shell = try TerminalProgram(
      ["--norc", "--noprofile", "-i"], type: type, program: "/bin/bash")
    try await shell.wait("no prompt") { !$0.isEmpty }
    shell.type("PS1='$ '; blastoise " + room.listen().joined(separator: " ") + "\r")
    try await shell.wait(for: "joined Lobby")
    // Where nothing moves only the signal tells that the terminal is back.
    await room.server.control(.pause)
    try await shell.wait(for: "|| ")
    for _ in 0..<2 {
      shell.type("\u{1A}")
      try await shell.wait(forLast: "$")
      shell.type("fg\r")
      try await shell.wait("no prompt of ours") { $0.last == ">" }
      shell.type("que")
      try await shell.wait(forLast: "> que")
      shell.type("\u{15}")
      try await shell.wait(forLast: ">")
    }
    shell.type("\u{1A}")
    try await shell.wait(forLast: "$")
    shell.type("bg\recho al''ive\r")
    try await shell.wait("the shell does not have it") { Self.shell($0, has: "alive") }
    try await room.say("the kettle boils")
    try await shell.wait(for: "the kettle boils")
    await room.server.control(.unpause)
    shell.type("echo st''ill\r")
    try await shell.wait("the shell does not have it") { Self.shell($0, has: "still") }
    shell.type("fg\r")
    try await shell.wait("no prompt of ours") { $0.last == ">" }
    shell.type("\u{1A}")
    try await shell.wait(forLast: "$")
    shell.type("bg\rblastoise stop\r")
    try await shell.wait(for: "the listener has ended")
    shell.type("echo e''nd\r")
    try await shell.wait("the shell does not have it") { Self.shell($0, has: "end") }
    shell.type("exit\r")
    _ = try await shell.end()
    await room.stop()
  }

  /// Whether a shell has said something, and nothing of ours stands below it; what happens may.
  private static func shell(_ lines: [String], has answer: String) -> Bool {
    guard let place = lines.lastIndex(of: answer) else { return false }
    return !lines[place...].contains { $0.hasPrefix(">") || $0.contains("/0:50") }
  }

  @Test func `a dumb terminal gets lines alone`() async throws {
    try await listening(type: "dumb") { program, _ in
      program.type("queue\r")
      try await program.wait(for: "rev ")
      #expect(!program.bytes.contains(0x1B))
      program.type("quit\r")
      #expect(try await program.end() == 0)
    }
  }

  @Test func `forty columns hold it`() async throws {
    try await listening(columns: 40) { program, room in
      program.type("queue add a title that is longer than this terminal is wide")
      try await Task.sleep(for: .milliseconds(700))
      try await room.say("the kettle boils")
      try await program.wait(for: "the kettle boils")
      try await program.wait("the screen differs") { lines in
        guard let said = lines.firstIndex(where: { $0.contains("kettle") }),
          let playing = lines.lastIndex(where: { $0.contains("/0:50") })
        else { return false }
        return said < playing && lines.last?.contains("wide") == true
      }
      #expect(program.lines.count { $0.contains("/0:50") } == 1, "\(program.lines)")
    }
  }
}

extension Room {
  /// Tells everybody who listens.
  fileprivate func say(_ text: String) async throws {
    await server.broadcast(.toast(message: text, kind: "info"))
  }
}

#if LineEditing
  /// What libedit adds.
  extension PromptTests {
    @Test func `Tab completes commands, options and rooms`() async throws {
      try await listening { program, _ in
        try await program.wait("the screen differs") { $0.last?.hasPrefix(">") == true }
        program.type("que\t")
        try await program.wait("the screen differs") {
          $0.last?.hasPrefix("> queue") == true && program.cursor == 8
        }
        program.type("l\t")
        try await program.wait("the screen differs") {
          $0.last == "> queue list" && program.cursor == 13
        }
        program.type("--ch\tlob")
        try await program.wait("the room is not completed") { lines in
          if lines.last == "> queue list --channel Lobby" { return true }
          // The listener's rooms are looked at twice a second.
          program.type("\t")
          return false
        }
        program.type("\u{15}queue \t")
        try await program.wait(for: "  remove ")
        try await program.wait("the screen differs") { $0.last == "> queue" && program.cursor == 8 }
      }
    }

    @Test func `what was typed is recalled, in the next run too`() async throws {
      let home = try TemporaryFolder()
      try await listening(home: home) { program, _ in
        program.type("server\r")
        try await program.wait(for: "sign-up")
        program.type("queue list\r")
        try await program.wait(for: "rev ")
        program.type("\u{1B}[A\u{1B}[A")
        try await program.wait(forLast: "> server")
        program.type("\u{15}quit\r")
        #expect(try await program.end() == 0)
      }
      let path = home.file("state/blastoise/history")
      #expect(permissions(of: path) == 0o600)
      try await listening(home: home) { program, _ in
        program.type("\u{1B}[A\u{1B}[A")
        try await program.wait(forLast: "> queue list")
      }
    }

    @Test func `a wide letter goes as it came, and the middle of a line can be changed`()
      async throws
    {
      try await listening { program, room in
        try await program.wait("the screen differs") { $0.last?.hasPrefix(">") == true }
        program.type("日本語x\u{7F}\u{7F}")
        try await program.wait("the screen differs") { $0.last == "> 日本" && program.cursor == 6 }
        program.type("\u{1}ab")
        try await program.wait("the screen differs") { $0.last == "> ab日本" && program.cursor == 4 }
        try await room.say("the kettle boils")
        try await program.wait(for: "the kettle boils")
        try await program.wait("the screen differs") { $0.last == "> ab日本" && program.cursor == 4 }
      }
    }

    @Test func `a terminal whose settings became another's is taken back`() async throws {
      try await listening { program, room in
        program.type("queue")
        try await program.wait(forLast: "> queue")
        program.takeAway()
        try await room.say("the kettle boils")
        try await program.wait(for: "the kettle boils")
        program.type(" list")
        try await program.wait(forLast: "> queue list")
      }
    }

    @Test func `a terminal that becomes narrower is filled anew`() async throws {
      try await listening { program, _ in
        program.type("queue add something")
        try await program.wait(forLast: "> queue add something")
        program.resize(columns: 40)
        try await program.wait("not filled anew") { lines in
          lines.suffix(2).allSatisfy { $0.count < 40 } && lines.last == "> queue add something"
        }
      }
    }
  }
#endif
