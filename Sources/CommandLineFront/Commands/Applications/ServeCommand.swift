import Glibc
import RoomProtocol
import RoomServer
import Storage

/// `serve`: a room server over a folder of music, until it is told to end.
enum ServeCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let invocation = context.invocation
    var configuration = ServerConfiguration(musicFolder: invocation.operands.first ?? ".")
    configuration.port = try invocation.integer(.port, in: 0...65535) ?? 3001
    configuration.host = invocation[.host] ?? "127.0.0.1"
    configuration.certificate = invocation[.certificate]
    configuration.key = invocation[.key]
    configuration.version = Front.version
    let program = invocation.text(.importProgram)
    configuration.importProgram = program == "off" ? nil : program
    configuration.uploadLimit = Int64(try invocation.number(.uploadLimit)) << 20
    configuration.awaitsScan = false
    guard (configuration.certificate == nil) == (configuration.key == nil) else {
      throw Diagnostic.usage("--cert and --key go together")
    }
    let console = context.console
    configuration.isVerbose = invocation.has(.verbose)
    configuration.log = { console.note(Printable.escaped($0)) }
    configuration.databasePath = try database(context)
    let server = Server(configuration)
    try await server.start()
    context.present(
      "serving at \(server.baseURL); Ctrl-C ends it",
      json: ["event": "serving", "url": .text(server.baseURL)])
    // Cancelled by the signal that ends the program.
    while (try? await Task.sleep(for: .seconds(3600))) != nil {}
    await server.stop()
    return .done
  }

  /// Users, sessions and rooms are kept in the state folder, a file a music folder.
  private static func database(_ context: CommandContext) throws -> String {
    let folder = context.stateFolder + "/server"
    try Folder.create(folder)
    let music = context.invocation.operands.first ?? "."
    let full = realpath(music, nil)
    defer { free(full) }
    let name = full.map { String(cString: $0) } ?? music
    return folder + "/" + ContentHash.digest(of: Array(name.utf8)).hex.prefix(16) + ".sqlite"
  }
}
