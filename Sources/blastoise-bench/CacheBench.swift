import Glibc
import RoomProtocol
import RoomServer
import Storage

/// `cache add` against curl, `cache verify` against openssl: the same gigabyte, from the same server,
/// to the same file system, in turn.
enum CacheBench {
  private static let count = 200
  private static let size = 5_000_000
  private static let runs = 3

  static func run(_ options: BenchOptions) {
    let name = "cache add of 1 GB"
    guard let program = options.program else {
      return Figure.skip(name, because: "name the path of a release build")
    }
    guard Programs.path(of: "curl") != nil else {
      return Figure.skip(name, because: "curl is missing")
    }
    Folder.temporary { folder in
      let tracks = make(in: folder)
      guard let port = BenchRoom.freePort(),
        let server = ChildProcess("/proc/self/exe", ["serve-tracks", "\(port)", folder]),
        waitForServer(program, port, folder)
      else { return Figure.skip(name, because: "its server does not start") }
      fill(program, tracks, port: port, folder: folder)
      verify(program, tracks, folder)
      withExtendedLifetime(server) {}
    }
  }

  // MARK: The server

  /// Serves the tracks of a folder until it is killed: what the bench starts itself as.
  static func serve(port: Int, folder: String) async -> Never {
    var configuration = ServerConfiguration()
    configuration.port = port
    let server = Server(configuration)
    var tracks: [Track] = []
    var files: [TrackID: String] = [:]
    for number in 0..<count {
      let path = "\(folder)/source-\(number)"
      let id = TrackID(id(of: path))
      tracks.append(
        Track(id: id, filename: "\(number).mp3", title: "Track \(number)", duration: 200))
      files[id] = path
    }
    do {
      try await server.start()
      await server.add(tracks, files: files)
    } catch {
      exit(1)
    }
    while true { sleep(60) }
  }

  private static func id(of path: String) -> String {
    let head = (try? OpenFile(path).readAll(limit: 65536)) ?? []
    return "sha256:" + ContentHash.digest(of: head).hex
  }

  /// Waits until the server's library is there, which then is in the listing.
  private static func waitForServer(_ program: String, _ port: Int, _ folder: String) -> Bool {
    for name in ["HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
      setenv(name, folder, 1)
    }
    setenv("BLASTOISE_SERVER", "http://127.0.0.1:\(port)", 1)
    for _ in 0..<50 {
      if let word = id(of: "\(folder)/source-0").split(separator: ":").last,
        var child = ChildProcess(program, ["library", "show", String(word)]),
        child.wait().status == 0
      {
        return true
      }
      usleep(100_000)
    }
    return false
  }

  /// Writes the tracks.
  ///
  /// - Returns: their ids.
  private static func make(in folder: String) -> [String] {
    var random: UInt64 = 4
    var block = [UInt64](repeating: 0, count: size / 8)
    return (0..<count).map { number in
      for index in block.indices {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        block[index] = random
      }
      let path = "\(folder)/source-\(number)"
      if let file = fopen(path, "wb") {
        fwrite(&block, 8, block.count, file)
        fclose(file)
      }
      return id(of: path)
    }
  }

  // MARK: Filling

  private static func fill(_ program: String, _ tracks: [String], port: Int, folder: String) {
    var ours: [Double] = []
    var theirs: [Double] = []
    let list = "\(folder)/urls"
    let lines = tracks.enumerated().map { number, id in
      """
      url = "http://127.0.0.1:\(port)/api/tracks/\(id.replacing(":", with: "%3A"))"
      output = "\(folder)/copies/\(number)"

      """
    }
    guard let file = fopen(list, "wb") else { return }
    fputs(lines.joined(), file)
    fclose(file)
    for _ in 0..<runs {
      Folder.remove("\(folder)/copies")
      mkdir("\(folder)/copies", 0o700)
      sync()
      theirs.append(
        seconds("curl", ["-s", "-Z", "--parallel-immediate", "--parallel-max", "4", "-K", list]))
      Folder.remove("\(folder)/copies")
      Folder.remove("\(folder)/blastoise/tracks")
      for suffix in ["", "-wal", "-shm"] { unlink("\(folder)/blastoise/index.db\(suffix)") }
      sync()
      ours.append(seconds(program, ["cache", "add", "--library", "--yes"]))
    }
    compare("cache add of 1 GB in \(count) files", ours, "curl -Z", theirs)
  }

  private static func verify(_ program: String, _ tracks: [String], _ folder: String) {
    let tracks = "\(folder)/blastoise/tracks"
    let files = Folder.names(in: tracks).map { "\(tracks)/\($0)" }
    guard files.count == count else {
      return Figure.skip("cache verify", because: "\(files.count) of \(count) files are there")
    }
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<runs {
      theirs.append(seconds("openssl", ["dgst", "-sha256"] + files))
      ours.append(seconds(program, ["cache", "verify"]))
    }
    compare("cache verify of 1 GB", ours, "openssl dgst", theirs)
  }

  private static func compare(
    _ name: String, _ ours: [Double], _ other: String, _ theirs: [Double]
  ) {
    let (our, their) = (ours.sorted()[ours.count / 2], theirs.sorted()[theirs.count / 2])
    guard our.isFinite, their.isFinite else {
      return Figure.skip(name, because: our.isFinite ? "\(other) fails" : "it fails")
    }
    Figure(name: name, value: our, unit: "s").report()
    Figure(name: "  \(other)", value: their, unit: "s").report()
    Figure(name: "  speed against \(other)", value: their / our, unit: "times", due: .atLeast(0.8))
      .report()
  }

  /// How long a program runs, in seconds; infinite where it fails.
  private static func seconds(_ program: String, _ words: [String]) -> Double {
    let start = Stopwatch.now
    guard let path = Programs.path(of: program), var child = ChildProcess(path, words),
      child.wait().status == 0
    else { return .infinity }
    return Stopwatch.now - start
  }
}
