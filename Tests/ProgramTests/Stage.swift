import RoomProtocol
import RoomServer
import Storage
import TestSupport

/// A room server with six made-up titles in a paused room, for transcripts, and a home that knows it.
///
/// The words that change it, one a line: `login` (ada is signed in), `guest only` (nobody may sign
/// up), `no guests`, `imports` (Fixtures/programs/yt-dlp makes them), `listener` (a `listen` runs in the background). Ada's password is `secret`.
final class Stage: Sendable {
  let server: Server
  let home: TemporaryFolder
  private let listener: Program?

  /// Title, artist, album and the fixture that is played for it.
  static let titles:
    [(title: String, artist: String?, album: String?, file: String, seconds: Double)] = [
      ("Harbour Lights", "The Anchors", "Docks", "audio/ruler.flac", 50),
      ("Night Ferry", "The Anchors", "Docks", "audio/ruler.flac", 50),
      ("Around the Bay", "The Anchors", "Tides", "audio/ruler.flac", 50),
      ("雪が降る", "Yuki", nil, "audio/noise.ogg", 30),
      ("Ladder to \u{1B}[31mRed", "Odd & Co", "Escapes", "audio/noise-cbr.mp3", 30),
      ("Untitled Sketch", nil, nil, "audio/noise-vbr.mp3", 30),
    ]

  /// Sets the stage.
  ///
  /// - Parameters:
  ///   - directives: the words that change it.
  ///   - change: changes the server's configuration.
  /// - Throws: what server and system throw.
  init(
    _ directives: [String] = [], change: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws {
    home = try TemporaryFolder()
    try Music.fill(home.file("music"), [])
    var configuration = ServerConfiguration(musicFolder: home.file("music"))
    configuration.allowsGuests = !directives.contains("no guests")
    configuration.allowsSignups = !directives.contains("guest only")
    if directives.contains("imports") {
      configuration.importProgram = Fixture.path("programs/yt-dlp")
    }
    change(&configuration)
    server = Server(configuration)
    _ = try await server.start()
    try await Self.fill(server, home)
    await server.control(.jump(index: 0))
    await server.control(.pause)
    await server.control(.seek(timestamp: 0))
    try await server.createUser("ada", password: "secret")
    if directives.contains("login") {
      let login = try await Program.run(
        ["login", "ada", "--server", server.baseURL], home: home,
        variables: ["BLASTOISE_PASSWORD": "secret"])
      guard login.status == 0 else {
        throw ProgramError(what: "login", output: login.output, errors: login.errors)
      }
    }
    guard directives.contains("listener") else {
      listener = nil
      return
    }
    let program = try Program(
      ["listen", "--server", server.baseURL, "--output", "null", "--json"], home: home)
    try await program.waitForOutput("\"connected\"")
    try await program.waitForOutput("\"queue\"")
    listener = program
  }

  private static func fill(_ server: Server, _ home: TemporaryFolder) async throws {
    var tracks: [Track] = []
    var files: [TrackID: String] = [:]
    for (index, row) in titles.enumerated() {
      // A tag of its own makes each a track of its own; decoders skip it.
      let bytes = try Music.tag("track \(index)") + Fixture.bytes(row.file)
      let path = home.file("music-\(index)")
      try Music.write(bytes, to: path)
      let id = TrackID("sha256:" + ContentHash.digest(of: bytes.prefix(65536)).hex)
      let suffix = row.file.split(separator: ".").last ?? ""
      tracks.append(
        Track(
          id: id, filename: "\(index + 1) \(row.title).\(suffix)", title: row.title,
          artist: row.artist, album: row.album, duration: row.seconds))
      files[id] = path
    }
    await server.add(tracks, files: files)
  }

  func end() async {
    if let listener {
      listener.send(15)
      _ = try? await listener.end()
    }
    await server.stop()
  }

  /// Runs a line of the shell, and returns what came of it as a transcript has it.
  ///
  /// - Throws: `ProgramError` where it does not end.
  func lines(of command: String) async throws -> [String] {
    let folder = Program.path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    let outcome = try await Program(
      ["-c", "cd \"$HOME\"\n\(command)"], home: home,
      variables: ["PATH": "\(folder):/usr/bin:/bin", "BLASTOISE_SERVER": server.baseURL],
      program: "/bin/sh"
    ).end()
    var lines = split(outcome.output) + split(outcome.errors).map { "! \($0)" }
    if outcome.status != 0 { lines.append("= \(outcome.status.map(String.init) ?? "signal")") }
    return lines
  }

  private func split(_ text: String) -> [String] {
    let place = server.baseURL.split(separator: "/").last.map(String.init) ?? ""
    let plain = text.replacing(place, with: "127.0.0.1:3001").replacing(home.path, with: "~")
    var lines = plain.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
