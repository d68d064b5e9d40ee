/// What stands behind the semicolons of a header's value, as in `form-data; name="file"`.
enum HeaderParameters {
  /// Takes a value apart.
  ///
  /// Inside quotes a backslash stands for itself unless a quote or another one follows, since some
  /// senders write paths; `%22` is a quote, as browsers write it.
  ///
  /// - Returns: what stands first, and the parameters by their names in small letters, the first of
  ///   a name; nil where nothing stands first.
  static func split(_ value: some StringProtocol) -> (String, [String: String])? {
    let parts = fields(of: value)
    guard let first = parts.first?.name, !first.isEmpty else { return nil }
    var parameters: [String: String] = [:]
    for part in parts.dropFirst() {
      let name = part.name.lowercased()
      if parameters[name] == nil { parameters[name] = part.value }
    }
    return (first, parameters)
  }

  /// One stretch between semicolons, without quotes and the blanks outside of them.
  private struct Field {
    var name = ""
    /// What stands behind the equals sign.
    var value: String?

    mutating func append(_ character: Character) {
      if value == nil { name.append(character) } else { value?.append(character) }
    }
  }

  private static func fields(of text: some StringProtocol) -> [Field] {
    var fields = [Field()]
    var isQuoted = false
    var rest = text[...]
    while let character = rest.popFirst() {
      let last = fields.count - 1
      switch character {
      case "\"": isQuoted.toggle()
      case "\\" where isQuoted && (rest.first == "\"" || rest.first == "\\"):
        if let escaped = rest.popFirst() { fields[last].append(escaped) }
      case "%" where isQuoted && rest.hasPrefix("22"):
        rest = rest.dropFirst(2)
        fields[last].append("\"")
      case _ where isQuoted: fields[last].append(character)
      case ";": fields.append(Field())
      case " ", "\t": break
      case "=" where fields[last].value == nil: fields[last].value = ""
      default: fields[last].append(character)
      }
    }
    return fields
  }
}
