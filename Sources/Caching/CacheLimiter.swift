/// The rule of what goes when room is needed; pure.
///
/// What nobody works on goes first: left-over parts and quarantined files, oldest first. Then finished
/// tracks, least recently used first. What is spared (pinned, in use, fetched by the running command)
/// never goes.
struct CacheLimiter: Equatable, Sendable {
  /// Something on the disk that could go.
  struct Item: Equatable, Sendable {
    /// The file's path.
    var path: String
    /// What it takes.
    var bytes: Int64
    /// Seconds since 1970.
    var lastUsed: Double
    /// Whether it is no finished track, so that it goes first.
    var isLeftOver = false
    /// Whether it must stay.
    var isSpared = false
  }

  /// What should go, and what is missing even then.
  struct Plan: Equatable, Sendable {
    /// In the order of going.
    var victims: [Item] = []
    /// Bytes that are still missing when all of them are gone; 0 where it is enough.
    var missing: Int64 = 0
  }

  /// What the cache may take.
  var maxSize: Int64
  /// What stays free on the disk.
  var reserve: Int64
  /// What is free on it now.
  var free: Int64
  /// What running downloads will still write.
  var promised: Int64 = 0
  /// What the cache takes beside `items`, such as running downloads.
  var fixed: Int64 = 0
  /// All that could go.
  var items: [Item] = []

  /// What the cache takes now.
  var used: Int64 { items.reduce(fixed) { $0 +| $1.bytes } }

  /// How much more can be kept without anything going; negative where too much is there already.
  var left: Int64 { min(maxSize -| used, free -| reserve) -| promised }

  /// How much more can be kept when all goes that may.
  var leftAtMost: Int64 {
    left +| items.filter { !$0.isSpared }.reduce(0) { $0 +| $1.bytes }
  }

  /// What must go so that `bytes` more can be kept.
  func plan(for bytes: Int64) -> Plan {
    var plan = Plan(missing: max(0, bytes -| left))
    for item in order where plan.missing > 0 && item.bytes > 0 {
      plan.victims.append(item)
      plan.missing = max(0, plan.missing - item.bytes)
    }
    return plan
  }

  /// What is of no use any more: nobody has gone on with it for two weeks.
  func expired(at now: Double) -> [Item] {
    items.filter { $0.isLeftOver && !$0.isSpared && $0.lastUsed < now - 14 * 86_400 }
  }

  /// What may go, in this order.
  private var order: [Item] {
    items.filter { !$0.isSpared }.sorted {
      if $0.isLeftOver != $1.isLeftOver { return $0.isLeftOver }
      return ($0.lastUsed, $0.path) < ($1.lastUsed, $1.path)
    }
  }
}

infix operator +| : AdditionPrecedence
infix operator -| : AdditionPrecedence

/// The sum, or the nearest number there is: a server may promise 2^63 bytes.
func +| (one: Int64, other: Int64) -> Int64 {
  let (sum, isOver) = one.addingReportingOverflow(other)
  return isOver ? (one < 0 ? .min : .max) : sum
}

/// The difference, or the nearest number there is.
func -| (one: Int64, other: Int64) -> Int64 {
  let (difference, isOver) = one.subtractingReportingOverflow(other)
  return isOver ? (one < 0 ? .min : .max) : difference
}
