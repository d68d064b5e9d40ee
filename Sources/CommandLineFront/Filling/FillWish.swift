import Caching
import Glibc
import RoomProtocol

/// How `cache add` is to go about it, read from its options.
struct FillWish: Sendable {
  /// How many tracks at once.
  var parallel: Int
  /// How often a track that may still come is tried again.
  var retry: RetryPolicy
  /// Whether finding out what is wanted is tried again too: only where somebody said how often.
  var persists: Bool
  /// Bytes a second of all transfers together; nil for as many as come.
  var rate: Int64?
  /// When to end with what is there.
  var deadline: ContinuousClock.Instant?
  /// Whether the current room's queue is followed.
  var follows: Bool

  /// Reads the options.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  init(_ context: CommandContext) throws(Diagnostic) {
    let invocation = context.invocation
    parallel = try invocation.number(.parallel)
    follows = invocation.has(.follow)
    persists = invocation.has(.retry) || follows
    retry = RetryPolicy(limit: try Self.tries(invocation, follows ? nil : Self.usualTries))
    rate = try Self.rate(invocation)
    if let text = invocation[.until] {
      guard let until = UntilTime(text) else {
        throw .usage(
          "--until takes a time such as 23:30, +2h or 90m, not \"\(Printable.escaped(text))\"")
      }
      deadline = .now + until.distance(from: time(nil))
    }
    if follows { try Self.checkFollowing(invocation) }
  }

  private static let usualTries = 3

  private static func tries(
    _ invocation: Invocation, _ usual: Int?
  ) throws(Diagnostic) -> Int? {
    guard let text = invocation[.retry] else { return usual }
    if text == "forever" { return nil }
    guard let count = Int(text), count >= 0 else {
      throw .usage(
        "--retry takes a whole number from 0 on, or forever, not \"\(Printable.escaped(text))\"")
    }
    return count
  }

  private static func rate(_ invocation: Invocation) throws(Diagnostic) -> Int64? {
    guard let text = invocation[.limitRate] else { return nil }
    guard let rate = SizeText.bytes(text), rate > 0 else {
      throw .usage(
        "--limit-rate takes bytes a second such as 500k or 2M, not \"\(Printable.escaped(text))\"")
    }
    return rate
  }

  /// Whoever follows the queue wants that and nothing else.
  private static func checkFollowing(_ invocation: Invocation) throws(Diagnostic) {
    let others: [OptionSpec] = [.album, .artist, .match, .ofPlaylist, .ofLibrary, .dryRun]
    if let other = others.first(where: { invocation.has($0) }) {
      throw .usage("--follow and --\(other.name) exclude each other")
    }
    guard invocation.operands.isEmpty else {
      throw .usage("--follow takes no TRACK: it keeps the room's queue")
    }
  }
}

extension CommandContext {
  /// Does something that needs the server, again and again where the wish says so, for as long as
  /// only time stands in its way.
  ///
  /// - Throws: what `body` throws in the end.
  func persistently<Result>(
    _ wish: FillWish, _ body: () async throws -> Result
  ) async throws -> Result {
    var failures = 0
    while true {
      do {
        return try await body()
      } catch {
        failures += 1
        let pause = wish.retry.delay(after: failures, chance: .random(in: 0..<1))
        guard wish.persists, Diagnostic(describing: error).mayPass, let pause,
          wish.deadline.map({ .now + pause < $0 }) ?? true
        else { throw error }
        if failures == 1 {
          console.note("waiting for the server: \(Diagnostic(describing: error).message)")
        }
        try await Task.sleep(for: pause)
      }
    }
  }
}

extension Diagnostic {
  /// Whether passing time may heal it: a server that is down comes back.
  var mayPass: Bool {
    [.unreachable, .noHost, .timeout, .serverError, .conflict, .incomplete].contains(code)
  }
}

extension OptionSpec {
  static let parallel = OptionSpec(
    name: "parallel", placeholder: "N", range: 1...32, help: "how many at once", standard: "4")
  static let limitRate = OptionSpec(
    name: "limit-rate", placeholder: "RATE", help: "bytes a second in all: 500k, 2M")
  static let retry = OptionSpec(
    name: "retry", placeholder: "N|forever",
    help: "how often to try again what may still come (default 3)")
  static let until = OptionSpec(
    name: "until", placeholder: "TIME", help: "end then with what is there: 23:30, +2h, 90m")
  static let pin = OptionSpec(name: "pin", help: "pin them: they never go by themselves")
  static let dryRun = OptionSpec(
    name: "dry-run", help: "say what would be fetched, and fetch nothing")
  static let follow = OptionSpec(
    name: "follow", help: "keep the room's queue cached as it changes, until Ctrl-C")
}
