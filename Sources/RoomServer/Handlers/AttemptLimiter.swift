/// Slows down whoever guesses passwords, and nobody else.
///
/// A name may fail so many times in a row from one address; then each further try has to wait until
/// an interval has passed since the one before. A success forgets the failures. Somebody else who
/// tries the same name from elsewhere is not held up.
///
/// Pure: the time is an argument.
struct AttemptLimiter {
  private struct Key: Hashable {
    var name: String
    var address: String
  }

  /// The tries that are free.
  let burst: Int
  /// After how long one more is.
  let interval: Duration

  /// When all tries of a key will be free again.
  private var settled: [Key: ContinuousClock.Instant] = [:]

  /// So many keys are remembered; beyond it those are forgotten that were to be soonest.
  static let capacity = 10_000

  init(burst: Int, interval: Duration) {
    self.burst = burst
    self.interval = interval
  }

  /// Takes a try.
  ///
  /// - Returns: nil where it may be made; else how long to wait for it.
  mutating func take(
    _ name: String, from address: String, at now: ContinuousClock.Instant
  ) -> Duration? {
    let key = key(name, address)
    let debt = max(settled[key] ?? now, now) - now
    let limit = interval * (burst - 1)
    guard debt <= limit else { return debt - limit }
    if settled[key] == nil, settled.count >= Self.capacity { makeRoom(at: now) }
    settled[key] = now + debt + interval
    return nil
  }

  /// A try was good: those before it are forgotten.
  mutating func forget(_ name: String, from address: String) {
    settled[key(name, address)] = nil
  }

  /// The keys remembered.
  var count: Int { settled.count }

  private func key(_ name: String, _ address: String) -> Key {
    // No name of a user is longer.
    Key(name: name.prefix(64).lowercased(), address: Self.network(of: address))
  }

  /// The part of an address that stands for one place: of IPv6 all that a household is given.
  private static func network(of address: String) -> String {
    guard address.contains(":"), !address.contains(".") else { return address }
    let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    let head = halves[0].split(separator: ":")
    let zeros = halves.count > 1 ? Array(repeating: "0"[...], count: max(0, 4 - head.count)) : []
    return (head + zeros).prefix(4).joined(separator: ":")
  }

  private mutating func makeRoom(at now: ContinuousClock.Instant) {
    settled = settled.filter { $0.value > now }
    while settled.count >= Self.capacity, let soonest = settled.min(by: { $0.value < $1.value }) {
      settled[soonest.key] = nil
    }
  }
}
