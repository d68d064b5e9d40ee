import Glibc
import RoomClient
import RoomProtocol
import RoomServer
import TestSupport
import Testing

@testable import CommandLineFront

/// A user at a shell of a room server in this process: own folders, own session.
struct Shell {
  /// What a command line led to.
  struct Result {
    var status: CommandLineFront.ExitStatus
    var output: String
    var errors: String

    /// The lines of the output.
    var lines: [Substring] { output.split(separator: "\n") }
  }

  let server: Server
  private let folder: TemporaryFolder

  /// Runs a server with tracks for the length of a test.
  static func with(
    _ tracks: [Track], _ body: (Shell) async throws -> Void
  ) async throws {
    let server = Server(ServerConfiguration())
    try await server.start()
    await server.add(tracks)
    do {
      try await body(Shell(server: server, folder: TemporaryFolder()))
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  /// Another user's shell on the same server.
  func another() throws -> Shell { Shell(server: server, folder: try TemporaryFolder()) }

  /// Runs a command line, whose words are split at blanks.
  func run(_ line: String, environment: [String: String] = [:]) async throws -> Result {
    var variables = environment
    variables["BLASTOISE_SERVER"] = variables["BLASTOISE_SERVER"] ?? server.baseURL
    variables["XDG_STATE_HOME"] = folder.path
    variables["XDG_CACHE_HOME"] = folder.path
    variables["XDG_CONFIG_HOME"] = folder.path
    let paths = ["out", "err"].map(folder.file)
    let descriptors = paths.map { path in open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600) }
    defer { for descriptor in descriptors { close(descriptor) } }
    let console = Console(
      output: descriptors[0], errors: descriptors[1], environment: variables,
      isQuiet: line.contains("-q"))
    let status = await perform(line, variables, console)
    return Result(status: status, output: try text(paths[0]), errors: try text(paths[1]))
  }

  private func perform(
    _ line: String, _ variables: [String: String], _ console: Console
  ) async -> CommandLineFront.ExitStatus {
    do {
      let words = line.split(separator: " ").map(String.init)
      guard case .run(let invocation) = try ArgumentReader.read(words, environment: variables)
      else { return .bug }
      return try await CommandTable.run(
        CommandContext(invocation: invocation, console: console, environment: variables))
    } catch {
      return Front.report(
        Diagnostic(describing: error), on: console, json: line.contains("--json"))
    }
  }

  /// Edits the queue as a command does that has no name, but perhaps options.
  func editing<Value>(
    _ options: [String: String] = [:], _ body: (QueueEditing) async throws -> Value
  ) async throws -> Value {
    let context = try context(options)
    var value: Value?
    _ = try await QueueEditing.run(context, "test the queue of") { value = try await body($0) }
    return try #require(value)
  }

  /// What a command has at hand that has no name.
  func context(_ options: [String: String] = [:]) throws -> CommandContext {
    let variables = [
      "BLASTOISE_SERVER": server.baseURL, "XDG_STATE_HOME": folder.path,
      "XDG_CACHE_HOME": folder.path,
    ]
    return try CommandContext(
      invocation: Invocation(
        command: .queueAdd, values: options.merging(["server": server.baseURL]) { $1 }),
      console: Console(environment: variables), environment: variables)
  }

  /// This user's session.
  func session() async throws -> ServerSession { try await context().connect() }

  private func text(_ path: String) throws -> String {
    String(decoding: try Fixture.bytes(at: path), as: UTF8.self)
  }

  /// Makes an account and signs in.
  func signUp(_ name: String) async throws {
    let result = try await run("signup \(name)", environment: ["BLASTOISE_PASSWORD": "secret"])
    try #require(result.status == .done, "\(result.errors)")
  }
}
