import Glibc
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// What is asked on a terminal: passwords that nobody sees, and whether to go on.
@Suite(.timeLimit(.minutes(3))) struct QuestionTests {
  private func withRoom(_ body: (Room, TemporaryFolder) async throws -> Void) async throws {
    let room = try await Room.ruler()
    do {
      try await room.server.createUser("ada", password: "secret")
      try await body(room, TemporaryFolder())
    } catch {
      await room.stop()
      throw error
    }
    await room.stop()
  }

  @Test func `a password is asked for and not shown`() async throws {
    try await withRoom { room, home in
      let login = try TerminalProgram(["login", "--server", room.url], home: home)
      try await login.wait(for: "user:")
      login.type("ada\r")
      try await login.wait(for: "password:")
      login.type("secret\r")
      try await login.wait(for: "signed in to \(room.url) as ada")
      #expect(try await login.end() == 0)
      #expect(!String(decoding: login.bytes, as: UTF8.self).contains("secret"))
    }
  }

  @Test func `the end of input is no answer, and ends the question's line`() async throws {
    try await withRoom { room, home in
      let login = try TerminalProgram(["login", "--server", room.url], home: home)
      try await login.wait(for: "user:")
      login.type("\u{4}")
      #expect(try await login.end() == 64)
      try await login.wait(forLast: "blastoise: the name is empty")
    }
  }

  @Test func `a new password is asked for twice`() async throws {
    try await withRoom { room, home in
      for (second, status) in [("secrte", Int32(64)), ("secret", 0)] {
        let signup = try TerminalProgram(["signup", "grace", "--server", room.url], home: home)
        try await signup.wait(for: "password:")
        signup.type("secret\r")
        try await signup.wait(for: "again:")
        signup.type("\(second)\r")
        #expect(try await signup.end() == status)
        #expect(!String(decoding: signup.bytes, as: UTF8.self).contains("secr"))
      }
    }
  }

  @Test func `the terminal shows again what is typed after Ctrl-C at a password`() async throws {
    try await withRoom { room, home in
      let words = "trap : INT; blastoise login ada --server \(room.url); stty -a; echo done"
      let shell = try TerminalProgram(["-c", words], home: home, program: "/bin/sh")
      try await shell.wait(for: "password:")
      shell.type("sec\u{3}")
      try await shell.wait(for: "done")
      let text = String(decoding: shell.bytes, as: UTF8.self)
      #expect(text.contains(" echo ") && !text.contains("-echo "))
      #expect(!text.contains("sec\r"))
    }
  }

  @Test func `whoever agrees to lose some rows loses no others`() async throws {
    try await withRoom { room, home in
      let login = try await Program.run(
        ["login", "ada", "--server", room.url], home: home,
        variables: ["BLASTOISE_PASSWORD": "secret"])
      #expect(login.status == 0)
      for words in [["queue", "clear"], ["queue", "set", "@1", "@1", "@1"]] {
        let clear = try TerminalProgram(words + ["--server", room.url], home: home)
        try await clear.wait(for: "[y/N]")
        let add = try await Program.run(
          ["queue", "add", "@1", "--server", room.url], home: home)
        #expect(add.status == 0)
        // Whoever is asked has seen it too by the time another has come and gone.
        let list = try await Program.run(["queue", "list", "--server", room.url], home: home)
        #expect(list.status == 0)
        clear.type("y\r")
        try await clear.wait(for: "the queue has changed meanwhile")
        #expect(try await clear.end() == 75)
      }
      #expect(await room.server.state()?.queue?.count == 3)
    }
  }

  @Test(.enabled(if: access("/bin/bash", X_OK) == 0))
  func `after Ctrl-Z and fg a password is asked for again, and hidden still`() async throws {
    try await withRoom { room, home in
      let shell = try TerminalProgram(
        ["--norc", "--noprofile", "-i"], home: home, program: "/bin/bash")
      try await shell.wait("no prompt") { !$0.isEmpty }
      shell.type("PS1='$ '; blastoise login ada --server \(room.url)\r")
      try await shell.wait(for: "password:")
      shell.type("\u{1A}")
      try await shell.wait(forLast: "$")
      shell.type("fg\r")
      try await shell.wait("not asked again") { $0.last == "password:" }
      shell.type("secret\r")
      try await shell.wait(for: "signed in to \(room.url) as ada")
      #expect(!String(decoding: shell.bytes, as: UTF8.self).contains("secret"))
    }
  }

  @Test func `what can't be undone is asked, and no is no`() async throws {
    try await withRoom { room, home in
      await room.server.createChannel(name: "Kitchen")
      let login = try await Program.run(
        ["login", "ada", "--server", room.url], home: home,
        variables: ["BLASTOISE_PASSWORD": "secret"])
      #expect(login.status == 0)
      for (answer, said) in [("n", "nothing was done"), ("", "nothing was done"), ("y", "deleted")]
      {
        let delete = try TerminalProgram(
          ["channel", "delete", "Kitchen", "--server", room.url], home: home)
        try await delete.wait(for: "delete the room Kitchen with")
        delete.type("\(answer)\r")
        try await delete.wait(for: said)
        #expect(try await delete.end() == 0)
      }
      let kick = try TerminalProgram(["kick-others", "--server", room.url], home: home)
      try await kick.wait(for: "end all other sessions of ada")
      kick.type("yes\r")
      try await kick.wait(for: "there was no other session of ada")
      #expect(try await kick.end() == 0)
    }
  }
}
