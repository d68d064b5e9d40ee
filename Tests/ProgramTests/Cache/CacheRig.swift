import Glibc
import TestSupport
import Testing

/// A cache of a test's own, the tracks it is filled with, and the program at work in it.
struct CacheRig: Sendable {
  let home: TemporaryFolder
  let source: TrackSource
  /// What every run hears beside its folders: the limit, above all.
  var variables: [String: String]

  /// The folder of the cache.
  var folder: String { home.file("cache/blastoise") }

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - source: the server of the tracks.
  ///   - limit: the most bytes the cache may hold; nil is the program's own limit.
  /// - Throws: `FixtureError`.
  init(_ source: TrackSource, limit: Int? = nil) throws {
    home = try TemporaryFolder()
    self.source = source
    variables = [
      "BLASTOISE_SERVER": source.url, "BLASTOISE_CACHE_RESERVE": "0",
      "BLASTOISE_CACHE_MAX_SIZE": limit.map { "\($0)" } ?? "",
    ]
  }

  /// Starts the program.
  func start(_ words: [String], _ more: [String: String] = [:]) throws -> Program {
    try Program(words, home: home, variables: variables.merging(more) { $1 })
  }

  /// Runs the program to its end.
  func run(_ words: [String], _ more: [String: String] = [:]) async throws -> Program.Outcome {
    try await start(words, more).end()
  }

  /// What the folder holds now.
  func audit() throws -> CacheAudit { try CacheAudit(folder) }

  /// The ids of the tracks it holds.
  func held() throws -> Set<String> { try audit().ids(of: source.url) }

  /// The bytes of some tracks.
  func bytes(of ids: Set<String>) -> Int {
    source.items.filter { ids.contains($0.id) }.reduce(0) { $0 + $1.bytes.count }
  }

  /// The ids that a run of `cache add --json` has told to be finished, by whole lines alone.
  static func finished(_ output: String) throws -> Set<String> {
    let lines = try JSONLine.lines(of: output)
    let done = lines.filter { $0["event"] == .text("finished") }
    return Set(done.compactMap { $0["id"]?.text })
  }

  /// A number from the environment, such as how often to try.
  static func number(_ name: String, or usual: Int) -> Int {
    getenv(name).flatMap { Int(String(cString: $0)) } ?? usual
  }

  /// What the chance of these tests is made of; `BLASTOISE_SEED` gives another.
  static let seed = UInt64(number("BLASTOISE_SEED", or: 4))
}

extension Program {
  /// Waits until a listener with `--json` has told three places, each beyond the one before, and ends
  /// it.
  @discardableResult
  func playsOn(_ context: String) async throws -> Outcome {
    func places() throws -> [Double] {
      try JSONLine.lines(of: output).filter { $0["event"] == .text("position") }
        .compactMap { $0["position"]?.number }
    }
    try await wait("three places, \(context),") { _ in try places().count >= 3 }
    let told = try places()
    #expect(zip(told, told.dropFirst()).allSatisfy { $0 < $1 }, "\(context): \(told)")
    send(15)
    let outcome = try await end()
    #expect(outcome.status == 0, "\(context): \(outcome.errors)")
    return outcome
  }
}
