import Caching
import Listening
import RoomClient
import RoomProtocol
import Transport

/// What has become of the tracks that were to be cached, and why; pure.
struct FillTally {
  /// Why tracks are not here, in words that fit all of them.
  struct Reason: Equatable {
    var obstacle: FillPlan.Obstacle
    var text: String
    var count: Int
  }

  private enum Result {
    case fetched(Int64)
    case present
    case absent(FillPlan.Obstacle, String)
  }

  /// How many are wanted.
  private(set) var wanted = 0
  private(set) var fetched = 0
  private(set) var present = 0
  /// The bytes of those that were fetched.
  private(set) var bytes: Int64 = 0
  /// In the order in which they came up.
  private(set) var reasons: [Reason] = []
  private var results: [TrackID: Result] = [:]

  /// Takes what is wanted from now on: that others are not here is no loss any more.
  mutating func want(_ ids: [TrackID]) {
    wanted = ids.count
    let ids = Set(ids)
    for (id, result) in results {
      if case .absent = result, !ids.contains(id) { forget(id) }
    }
  }

  /// Takes what became of one track, in the place of what became of it before.
  mutating func take(_ id: TrackID, _ outcome: FillOutcome) {
    forget(id)
    switch outcome {
    case .fetched(let count): results[id] = .fetched(count)
    case .present: results[id] = .present
    case .absent(let obstacle, let error):
      results[id] = .absent(obstacle, Self.text(error, obstacle))
    }
    if let result = results[id] { count(result, 1) }
  }

  private mutating func forget(_ id: TrackID) {
    if let old = results.removeValue(forKey: id) { count(old, -1) }
  }

  private mutating func count(_ result: Result, _ step: Int) {
    switch result {
    case .fetched(let count):
      fetched += step
      bytes += count * Int64(step)
    case .present: present += step
    case .absent(let obstacle, let text):
      if let index = reasons.firstIndex(where: { $0.obstacle == obstacle && $0.text == text }) {
        reasons[index].count += step
        if reasons[index].count == 0 { reasons.remove(at: index) }
      } else {
        reasons.append(Reason(obstacle: obstacle, text: text, count: step))
      }
    }
  }

  /// How many are through, one way or the other.
  var through: Int { fetched + present + reasons.reduce(0) { $0 + $1.count } }

  /// How many are not here for one reason or another.
  func count(_ obstacle: FillPlan.Obstacle) -> Int {
    reasons.filter { $0.obstacle == obstacle }.reduce(0) { $0 + $1.count }
  }

  // MARK: - In words

  /// The summary: what is here, and a line a reason for what is not.
  var lines: [String] {
    if present > 0, present == through {
      return [present == 1 ? "it is here already" : "all \(present) tracks are here already"]
    }
    let before = present == 1 ? ", 1 was here already" : ", \(present) were here already"
    let first = "cached \(counted(fetched, "track")) (\(SizeText.text(bytes)))"
    return [first + (present > 0 ? before : "")] + reasons.map(Self.line)
  }

  private static func line(_ reason: Reason) -> String {
    switch reason.obstacle {
    case .missing: "\(reason.count) still missing: \(reason.text)"
    case .lost: "\(reason.count) can't be had: \(reason.text)"
    case .noRoom: "\(reason.count) did not fit: \(reason.text)"
    }
  }

  /// What programs read of it.
  var json: JSONValue {
    [
      "summary": true, "tracks": JSONValue(wanted), "fetched": JSONValue(fetched),
      "present": JSONValue(present), "missing": JSONValue(count(.missing)),
      "lost": JSONValue(count(.lost)), "no_room": JSONValue(count(.noRoom)),
      "bytes": .integer(bytes),
      "reasons": .list(
        reasons.map {
          [
            "state": .text($0.obstacle.name), "reason": .text($0.text),
            "tracks": JSONValue($0.count),
          ]
        }),
    ]
  }

  /// How the command fails; nil where all is here.
  var failure: Diagnostic? {
    func some(_ obstacle: FillPlan.Obstacle) -> String? {
      let count = count(obstacle)
      if count == 0 { return nil }
      return wanted == 1 ? "the track" : "\(count) of \(counted(wanted, "track"))"
    }
    if let some = some(.missing) {
      return Diagnostic(
        .incomplete, "\(some) \(count(.missing) == 1 ? "is" : "are") still missing",
        hint: "the same command goes on where this one stopped; --retry forever waits")
    }
    if let some = some(.lost) { return Diagnostic(.lost, "\(some) can't be had") }
    return some(.noRoom).map { some in
      Diagnostic(
        .noRoom, "\(some) did not fit into the cache",
        hint: "cache remove makes room, config set cache.max-size 8G gives more")
    }
  }

  /// Why a track is not here, in words that are the same for all whose reason is the same.
  static func text(_ error: (any Error)?, _ obstacle: FillPlan.Obstacle) -> String {
    guard let error else { return obstacle == .noRoom ? "no room is left" : "not tried to the end" }
    let diagnostic = Diagnostic(describing: error)
    switch diagnostic.code {
    case .unreachable: return "the server can't be reached, or the connection broke"
    case .timeout where diagnostic.what.contains("called off"): return "not tried to the end"
    case .timeout: return "no answer in time"
    case .noHost: return "the server's name is unknown"
    case .notFound: return "the server does not have it"
    case .noRoom where obstacle == .noRoom && diagnostic.what.hasPrefix("no room"):
      return "no room is left"
    case .noRoom: return diagnostic.why ?? "the cache can't keep it"
    default: return diagnostic.why ?? diagnostic.what
    }
  }
}

extension FillPlan.Obstacle {
  /// The state of a track under `--json`.
  var name: String {
    switch self {
    case .missing: "missing"
    case .lost: "lost"
    case .noRoom: "no_room"
    }
  }
}
