import Glibc
import TestSupport
import Testing

/// The completion scripts in the shells they are for, where those are installed.
@Suite(.timeLimit(.minutes(3))) struct CompletionScriptTests {
  private static func isInstalled(_ program: String) -> Bool { access(program, X_OK) == 0 }

  /// A home in which names of its server are known.
  private static func home() throws -> TemporaryFolder {
    let home = try TemporaryFolder()
    try home.write("config/blastoise/blastoise.conf", "server = http://localhost:3001\n".utf8)
    let playlists = (["Evening"] + hostile.map(\.name)).map { "p \($0)\n" }.joined()
    let names = "c Late Night\nc Lobby\n" + playlists
    try home.write("state/blastoise/names/localhost%3A3001", names.utf8)
    return home
  }

  /// Names that a shell would do something with, from their beginnings as somebody types them.
  private static let hostile: [(typed: String, name: String)] = [
    ("Dol", "Dollar $(id) `id` $HOME"), ("\"Dol", "Dollar $(id) `id` $HOME"),
    ("'Dol", "Dollar $(id) `id` $HOME"), ("semi", "semi;id&|id>x"), ("star", "star* ? [x] {a,b}"),
    ("It", "It's \"so\" \\"), ("\"It", "It's \"so\" \\"), ("'It", "It's \"so\" \\"),
    ("Bang", "Bang!x #~"), ("\"Bang", "Bang!x #~"), ("co", "co:lon=x@y"), ("co:", "co:lon=x@y"),
    ("co:lon=", "co:lon=x@y"), ("雪", "雪が 降る"), ("eve", "Evening"),
  ]

  /// What bash has in COMPREPLY for a line with the cursor at its end.
  private func replies(_ line: String) async throws -> [String] {
    let script = """
      source <("$1" completions bash)
      COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=($2) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      COMP_WORDBREAKS="\\"'@><=;|&(:"
      _blastoise "$1" "${COMP_WORDS[COMP_CWORD]}" ""
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let program = try Program(
      ["-c", script, "bash", Program.path, line], home: Self.home(), program: "/bin/bash")
    let outcome = try await program.end()
    return outcome.output.split(separator: "\n").map(String.init)
  }

  static let lines: [(line: String, replies: [String])] = [
    ("blastoise que", ["queue"]),
    ("blastoise queue rem", ["remove"]),
    ("blastoise queue add --ne", ["--next"]),
    ("blastoise listen l", ["Late\\ Night", "Lobby"]),
    ("blastoise listen --sync ", ["tight", "reference"]),
    ("blastoise listen --sync=t", ["tight"]),
    ("blastoise --channel=lo", ["Lobby"]),
    ("blastoise completions ", ["bash", "zsh", "fish"]),
    ("blastoise nonsense ", []),
  ]

  @Test(.enabled(if: isInstalled("/bin/bash")), arguments: lines)
  func `bash is told what fits`(line: (line: String, replies: [String])) async throws {
    #expect(try await replies(line.line) == line.replies)
  }

  @Test(.enabled(if: isInstalled("/bin/bash")))
  func `bash completes what is typed`() async throws {
    try await typed(
      ["--norc", "--noprofile", "-i"], "/bin/bash", "source <(blastoise completions bash)")
  }

  @Test(.enabled(if: isInstalled("/usr/bin/zsh")))
  func `zsh completes what is typed`() async throws {
    try await typed(
      ["-f", "-i"], "/usr/bin/zsh",
      "autoload -U compinit; compinit -D; source <(blastoise completions zsh)")
  }

  @Test(.enabled(if: isInstalled("/usr/bin/fish")))
  func `fish completes what is typed`() async throws {
    try await typed(
      ["--no-config", "-i"], "/usr/bin/fish", "blastoise completions fish | source")
  }

  private func typed(_ words: [String], _ shell: String, _ setUp: String) async throws {
    let terminal = try TerminalProgram(words, home: Self.home(), program: shell)
    try await terminal.wait("no prompt") { !$0.isEmpty }
    terminal.type(setUp + "; echo re''ady\r")
    try await terminal.wait(for: "ready")
    terminal.type("blastoise queue rem\t")
    try await terminal.wait(for: "blastoise queue remove")
    terminal.type("\u{15}blastoise listen Lat\t")
    try await terminal.wait(for: "blastoise listen Late\\ Night")
    terminal.type("\u{15}blastoise listen --channel Lob\t")
    try await terminal.wait(for: "--channel Lobby")
    terminal.type("\u{15}blastoise queue add @cu\t")
    try await terminal.wait(for: "queue add @current")
    // Whatever a name has in it, the shell takes what was completed for that name.
    for (typed, name) in Self.hostile {
      terminal.type("\u{15}blastoise playlist show \(typed)\t\u{01}clear; printf '<%s>' \r")
      let flat = { (lines: [String]) in lines.joined() }
      try await terminal.wait("\(typed) is not \(name)") {
        flat($0).contains("<blastoise><playlist><show><\(name)>")
      }
    }
    terminal.type("\u{15}exit\r")
    _ = try await terminal.end()
  }
}

/// The man page as man(1) shows it.
@Suite(.timeLimit(.minutes(3))) struct ManualPageTests {
  static let checkers = [
    ["/usr/bin/mandoc", "-T", "lint"], ["/usr/bin/groff", "-man", "-ww", "-T", "utf8", "-z"],
  ]

  @Test(arguments: checkers.filter { access($0[0], X_OK) == 0 })
  func `what checks man pages has nothing to say`(checker: [String]) async throws {
    let home = try TemporaryFolder()
    let page = try await Program.run(["__man"])
    let path = try home.write("blastoise.1", page.output.utf8)
    let program = try Program(checker.dropFirst() + [path], home: home, program: checker[0])
    let outcome = try await program.end()
    #expect(outcome.output + outcome.errors == "")
    #expect(outcome.status == 0)
  }

  @Test(.enabled(if: access("/usr/bin/man", X_OK) == 0))
  func `man shows the page and has nothing to complain of`() async throws {
    let page = try await Program.run(["__man"])
    #expect(page.status == 0)
    let home = try TemporaryFolder()
    let path = try home.write("blastoise.1", page.output.utf8)
    let program = try Program(
      ["--warnings", "-E", "UTF-8", "-l", path], home: home,
      variables: ["MANWIDTH": "80", "MANPAGER": "/bin/cat", "TERM": "dumb"],
      program: "/usr/bin/man")
    let outcome = try await program.end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    for word in ["NAME", "queue add", "--password-stdin", "BLASTOISE_SERVER", "EXIT STATUS", "130"]
    {
      #expect(outcome.output.contains(word), "\(word)")
    }
  }
}
