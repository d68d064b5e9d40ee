/// Amounts of bytes as people read and write them.
enum SizeText {
  /// `512 B`, `1.2 kB`, `34 MB`: two digits at least, powers of 1000.
  static func text(bytes: Double) -> String {
    var value = bytes
    var unit = "B"
    for next in ["kB", "MB", "GB", "TB"] where value >= 1000 {
      value /= 1000
      unit = next
    }
    guard unit != "B", value < 10 else { return "\(Int(value)) \(unit)" }
    let tenths = Int(value * 10)
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }

  /// The same of a whole number.
  static func text(_ bytes: Int64) -> String { text(bytes: Double(bytes)) }

  /// Reads `4G`, `500M`, `10k`, `1.5G`, `4 GB`, `0`: powers of 1000; nil for anything else.
  static func bytes(_ text: String) -> Int64? {
    var digits = text[...]
    if digits.last == "B" || digits.last == "b" { digits = digits.dropLast() }
    let units: [Character: Double] = ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12]
    let unit = digits.last.flatMap { units[$0] }
    if unit != nil { digits = digits.dropLast() }
    while digits.last == " " { digits = digits.dropLast() }
    guard let first = digits.utf8.first, (48...57).contains(first),
      digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
      let value = Double(String(digits)), value * (unit ?? 1) < 9e18
    else { return nil }
    return Int64(value * (unit ?? 1))
  }
}
