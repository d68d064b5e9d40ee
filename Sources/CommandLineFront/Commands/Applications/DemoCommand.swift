import DemoTracks
import Glibc
import Listening
import RoomClient
import RoomServer
import Storage
import Transport

/// `demo`: an embedded room with the built-in tracks, joined and played.
///
/// All it needs is inside: the room server runs on a free port of this machine, its music and the
/// listener's cache lie in a folder that goes with it.
enum DemoCommand {
  static func run(_ given: CommandContext) async throws -> ExitStatus {
    var context = given
    // Several demos run side by side, and beside a listener.
    if !context.invocation.has(.instance) {
      context.invocation.values[OptionSpec.instance.name] = "demo-\(getpid())"
    }
    let folder = try TemporaryMusic()
    defer { folder.remove() }
    var options = try ListenOptions(context.invocation, cacheFolder: folder.path + "/cache")
    options.configuration.room = nil
    var configuration = ServerConfiguration(musicFolder: folder.path + "/music")
    configuration.name = "Blastoise demo"
    configuration.lobbyName = "Demo"
    let server = Server(configuration)
    try await server.start()
    let address = try ServerAddress(server.baseURL)
    if !context.isJSON {
      context.console.note("a room of its own at \(address); Ctrl-C ends it")
    }
    let store = SessionStore(folder: SessionStore.standardFolder(context.environment))
    let session = try await ServerSession(
      server: address, configuration: try context.transport, store: store)
    // Commands beside the listener find its session there; the server goes, and so does it.
    defer {
      for path in [store.path(of: address), store.path(of: address) + ".lock"] { unlink(path) }
    }
    do {
      // Not as a guest: whoever tries the room may control it.
      let cookie = try await server.session(of: "demo")
      await session.http.cookies.keep(setCookie: [cookie + "; Path=/"], from: address.base)
      // Where it can't be written they are guests.
      try? await session.save()
      let status = try await ListenerRun(context: context, options: options).run(on: session)
      await server.stop()
      return status
    } catch {
      await server.stop()
      throw error
    }
  }
}

/// The built-in tracks as files in a folder of their own.
private struct TemporaryMusic {
  let path: String

  init() throws(FileError) {
    let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(root)/blastoise-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FileError(operation: "mkdtemp", path: root, code: errno)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try Folder.create(path + "/music")
    for index in 0..<demo_track_count() {
      let track = demo_track_at(index)
      let bytes = UnsafeBufferPointer(start: track.bytes, count: track.length)
      try AtomicFile.write(
        Array(bytes), to: path + "/music/" + String(cString: track.filename))
    }
  }

  func remove() {
    try? Folder.remove(path)
  }
}
