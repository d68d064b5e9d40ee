import Glibc

/// When something is to end, as it is typed: `23:30` by the clock on the wall, or `+2h`, `90m`,
/// `1h30m`, `45s` from now.
enum UntilTime: Equatable, Sendable {
  /// The next time the clock shows it.
  case clock(hour: Int, minute: Int)
  /// So long from now.
  case after(Duration)

  /// Reads it; nil for anything else.
  init?(_ text: String) {
    if let clock = Self.clock(text) {
      self = clock
    } else if let duration = Self.duration(text.hasPrefix("+") ? text.dropFirst() : text[...]) {
      self = .after(duration)
    } else {
      return nil
    }
  }

  /// How long that is from now.
  ///
  /// - Parameter now: seconds since 1970; the time zone is the system's.
  /// - Returns: a day at most for a time of the clock, whatever summer time does.
  func distance(from now: time_t) -> Duration {
    switch self {
    case .after(let duration): return duration
    case .clock(let hour, let minute):
      var start = now
      var day = tm()
      localtime_r(&start, &day)
      (day.tm_hour, day.tm_min, day.tm_sec, day.tm_isdst) = (Int32(hour), Int32(minute), 0, -1)
      var copy = day
      var end = mktime(&copy)
      if end <= now {
        day.tm_mday += 1
        end = mktime(&day)
      }
      return .seconds(max(0, end - now))
    }
  }

  private static func clock(_ text: String) -> UntilTime? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      let hour = number(parts[0]), let minute = number(parts[1]), hour < 24, minute < 60
    else { return nil }
    return .clock(hour: hour, minute: minute)
  }

  private static func duration(_ text: Substring) -> Duration? {
    var rest = text
    var total = 0
    for (unit, seconds) in [("h" as Character, 3600), ("m", 60), ("s", 1)] {
      guard let end = rest.firstIndex(of: unit) else { continue }
      guard let count = number(rest[..<end]), count <= 100_000 else { return nil }
      total += count * seconds
      rest = rest[rest.index(after: end)...]
    }
    return rest.isEmpty && total > 0 ? .seconds(total) : nil
  }

  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }
}
