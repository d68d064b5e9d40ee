/// The header lines of a request or an answer, in order; names match whatever their case.
package struct HTTPHeaders: Equatable, Sendable {
  /// One line.
  package struct Field: Equatable, Sendable {
    /// The name as it was written.
    package var name: String
    /// The value without blanks around it.
    package var value: String
  }

  /// All lines in order.
  package private(set) var fields: [Field] = []

  /// Makes a list without lines.
  package init() {}

  /// Makes a list from pairs of name and value.
  package init(_ pairs: KeyValuePairs<String, String>) {
    for (name, value) in pairs { add(name, value) }
  }

  /// Puts one more line at the end.
  ///
  /// Line breaks in a value would begin a new line of the request: they are cut out.
  ///
  /// - Parameters:
  ///   - name: the line's name, such as `Range`.
  ///   - value: its value.
  package mutating func add(_ name: String, _ value: String) {
    let value = value.filter { !$0.isNewline && $0 != "\0" }
    fields.append(Field(name: name, value: value))
  }

  /// Puts all lines of another list at the end.
  package mutating func add(_ more: HTTPHeaders) { fields += more.fields }

  /// The value of the first line of that name, or nil.
  package subscript(name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }

  /// The values of all lines of that name.
  package func values(of name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// The lines as they go over the wire, each with its end.
  var lines: String { fields.map { "\($0.name): \($0.value)\r\n" }.joined() }

  /// Takes one raw header line of an answer; what has no colon is passed over.
  mutating func add(line: String) {
    guard let colon = line.firstIndex(of: ":") else { return }
    let name = line[..<colon].trimmingBlanks
    guard !name.isEmpty else { return }
    add(name, line[line.index(after: colon)...].trimmingBlanks)
  }
}

extension StringProtocol {
  /// The text without blanks, tabs and line ends around it.
  var trimmingBlanks: String {
    let isBlank = { (character: Character) in character.isWhitespace }
    guard let start = firstIndex(where: { !isBlank($0) }) else { return "" }
    let end = lastIndex(where: { !isBlank($0) }) ?? start
    return String(self[start...end])
  }
}
