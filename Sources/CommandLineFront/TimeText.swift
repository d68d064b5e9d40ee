import Caching
import Glibc

/// Times as people write and read them.
enum TimeText {
  /// A place in a track, as it was asked for.
  enum Position: Equatable, Sendable {
    /// From the start.
    case absolute(Duration)
    /// From where the room is now; negative is back.
    case relative(Duration)
    /// A part of the track's length, 0 to 1.
    case fraction(Double)

    /// The place in a track.
    ///
    /// Never before the start; never past the end where the length is known. Nil for a fraction of
    /// an unknown length.
    func resolved(current: Duration, length: Duration?) -> Duration? {
      let place: Duration
      switch self {
      case .absolute(let time): place = time
      case .relative(let distance): place = current + distance
      case .fraction(let part):
        guard let length else { return nil }
        place = length * part
      }
      return max(.zero, length.map { min($0, place) } ?? place)
    }
  }

  /// Reads `90`, `1:30`, `1:02:03`, `+15`, `-0:15`, `50%`; seconds may have decimals.
  ///
  /// Nil for anything else.
  static func position(_ text: some StringProtocol) -> Position? {
    if text.hasSuffix("%") {
      guard let percent = decimal(text.dropLast()), percent <= 100 else { return nil }
      return .fraction(percent / 100)
    }
    if text.hasPrefix("+") { return duration(text.dropFirst()).map { .relative($0) } }
    if text.hasPrefix("-") { return duration(text.dropFirst()).map { .relative(.zero - $0) } }
    return duration(text).map { .absolute($0) }
  }

  /// Reads `90`, `1:30` or `1:02:03`; nil for anything else.
  static func duration(_ text: some StringProtocol) -> Duration? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last, let seconds = decimal(last) else {
      return nil
    }
    var total = 0.0
    for (index, part) in parts.dropLast().enumerated() {
      guard let value = whole(part), index == 0 || value < 60 else { return nil }
      total = total * 60 + Double(value)
    }
    guard parts.count == 1 || seconds < 60 else { return nil }
    total = total * 60 + seconds
    return total < 1e9 ? .seconds(total) : nil
  }

  /// `m:ss`, minutes unbounded, part seconds cut off; `--:--` where it is unknown.
  static func text(_ duration: Duration?) -> String {
    guard let duration else { return "--:--" }
    let seconds = max(0, duration.components.seconds)
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  /// `40 seconds`, `3 hours`, `5 days`: the largest unit that there are two of.
  static func age(seconds: Double) -> String {
    for (unit, length) in [("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)]
    where seconds >= 2 * length {
      return "\(Int(min(seconds / length, 1e6))) \(unit)s"
    }
    return "\(Int(max(0, seconds))) seconds"
  }

  /// `14:20` of today by this machine's clock, `2026-11-28 14:20` of another day.
  ///
  /// - Parameters:
  ///   - time: seconds since 1970.
  ///   - now: the same of now.
  /// - Returns: the shorter form that is clear.
  static func moment(_ time: Double, now: Double = wallTime()) -> String {
    func broken(_ time: Double) -> tm {
      var seconds = time_t(max(0, min(time, 1e12)))
      var parts = tm()
      localtime_r(&seconds, &parts)
      return parts
    }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (then, today) = (broken(time), broken(now))
    let clock = "\(two(then.tm_hour)):\(two(then.tm_min))"
    guard then.tm_year != today.tm_year || then.tm_yday != today.tm_yday else { return clock }
    return "\(then.tm_year + 1900)-\(two(then.tm_mon + 1))-\(two(then.tm_mday)) \(clock)"
  }

  /// `just now`, `3 hours ago`; both times in seconds since 1970.
  static func ago(_ time: Double, _ now: Double) -> String {
    now - time < 60 ? "just now" : "\(age(seconds: now - time)) ago"
  }

  private static func whole(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }

  /// A number without sign or exponent.
  private static func decimal(_ text: some StringProtocol) -> Double? {
    guard let first = text.utf8.first, (48...57).contains(first),
      text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 })
    else { return nil }
    return Double(String(text))
  }
}
