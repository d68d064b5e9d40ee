/// One line of the bench: what was measured, and what is due.
struct Figure {
  /// What design.md section 10 asks for.
  enum Due {
    case atMost(Double)
    case atLeast(Double)

    func isMet(by value: Double) -> Bool {
      switch self {
      case .atMost(let bound): value <= bound
      case .atLeast(let bound): value >= bound
      }
    }

    func text(digits: Int) -> String {
      switch self {
      case .atMost(let bound): "<= \(fixed(bound, digits: digits))"
      case .atLeast(let bound): ">= \(fixed(bound, digits: digits))"
      }
    }
  }

  var name: String
  var value: Double
  var unit: String
  var digits = 2
  var due: Due?

  /// Prints the line.
  func report() {
    let value = padded(fixed(value, digits: digits), to: 12, left: true)
    var line = "\(padded(name, to: 50)) \(value) \(padded(unit, to: 16))"
    if let due {
      let verdict = due.isMet(by: self.value) ? "ok" : "MISS"
      line += " due \(padded(due.text(digits: digits), to: 12)) \(verdict)"
    }
    print(line)
  }

  /// Prints a line for what could not be measured.
  static func skip(_ name: String, because reason: String) {
    print("\(padded(name, to: 50)) \(padded("-", to: 12, left: true)) \(reason)")
  }
}

/// A number with so many digits behind the point.
func fixed(_ value: Double, digits: Int) -> String {
  guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((abs(value) * scale).rounded())
  let sign = value < 0 && whole > 0 ? "-" : ""
  guard digits > 0 else { return "\(sign)\(whole)" }
  let fraction = String(whole % Int(scale))
  let zeros = String(repeating: "0", count: digits - fraction.count)
  return "\(sign)\(whole / Int(scale)).\(zeros)\(fraction)"
}

private func padded(_ text: String, to width: Int, left: Bool = false) -> String {
  let blanks = String(repeating: " ", count: max(0, width - text.count))
  return left ? blanks + text : text + blanks
}
