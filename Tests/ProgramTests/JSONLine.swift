import FoundationEssentials

/// A JSON value as read back from what the program prints.
enum JSONLine: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([JSONLine])
  case object([String: JSONLine])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let truth = try? value.decode(Bool.self) {
      self = .bool(truth)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([JSONLine].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: JSONLine].self))
    }
  }

  /// Reads a line.
  init(_ line: some StringProtocol) throws {
    self = try JSONDecoder().decode(JSONLine.self, from: Data(line.utf8))
  }

  /// The complete lines of a text, each read as a value.
  static func lines(of text: String) throws -> [JSONLine] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return try lines.dropLast().map { try JSONLine($0) }
  }

  /// A member of an object.
  subscript(key: String) -> JSONLine? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// The keys of an object.
  var keys: Set<String> {
    if case .object(let members) = self { Set(members.keys) } else { [] }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
}
