/// A place in the configuration file: a key of a section, or of a saved server's or output's.
///
/// Written `timeout`, `listen.volume` or `server.home.url`.
struct SettingKey: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of sections that have names: `[server home]`, `[output kitchen]`.
  enum Scope: String, CaseIterable, Sendable {
    case server, output

    /// The option that chooses one of them.
    var chooser: OptionSpec { self == .server ? .server : .output }

    /// What such a section must have.
    var address: OptionSpec { self == .server ? .savedURL : .savedSink }

    /// What can stand in such a section.
    var options: [OptionSpec] {
      [address] + OptionSpec.settings.filter { $0.scope == self }
    }
  }

  /// The row of the table.
  let option: OptionSpec
  /// The saved server or output it is of; nil in the sections that concern all.
  let owner: String?
  private let scope: Scope?

  /// The key of a setting that concerns all.
  init(_ option: OptionSpec) {
    self.option = option
    owner = nil
    scope = nil
  }

  /// The key of a saved server's or output's setting; the option must be one of `scope.options`.
  init(_ option: OptionSpec, of owner: String, _ scope: Scope) {
    self.option = option
    self.owner = owner
    self.scope = scope
  }

  /// Reads a key as people type it; nil where there is none of that name.
  ///
  /// The plain name of an option will do too: `volume`.
  init?(_ text: String) {
    if let option = OptionSpec.settings.first(where: { $0.name == text }) {
      self.init(option)
    } else {
      self.init(inFile: text)
    }
  }

  /// Reads a key as it stands in the file, its section before it; nil where there is none such.
  init?(inFile text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 3, let scope = Scope(rawValue: parts[0]), Self.isName(parts[1]),
      let option = scope.options.first(where: { $0.name == parts[2] })
    {
      self.init(option, of: parts[1], scope)
    } else if let option = OptionSpec.settings.first(where: { $0.key == text }) {
      self.init(option)
    } else {
      return nil
    }
  }

  /// The section it stands in: empty above the first, `listen`, `server.home`.
  var section: String {
    if let scope, let owner { return "\(scope.rawValue).\(owner)" }
    return Self.split(option.key ?? "").section
  }

  /// What stands before the `=`.
  var word: String { owner == nil ? Self.split(option.key ?? "").word : option.name }

  var description: String { section.isEmpty ? word : "\(section).\(word)" }

  /// Whether a saved server or output can have this name: nothing that an address could be.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  /// The key that is nearest to a misspelt one, nil where none is near.
  static func nearest(to text: String) -> String? {
    let (section, word) = split(text)
    let parts = section.split(separator: ".").map(String.init)
    // `server.home` is the server itself, `home.url` its address.
    if parts.count == 1, let scope = Scope(rawValue: section) {
      // `server.url` is the one that is meant where no other is named.
      if word == scope.address.name { return scope.chooser.key }
      return isName(word) ? "\(scope.rawValue).\(word).\(scope.address.name)" : nil
    }
    if parts.count == 1, let scope = Scope.allCases.first(where: { $0.address.name == word }) {
      return isName(section) ? "\(scope.rawValue).\(section).\(word)" : nil
    }
    if parts.count == 2, isName(parts[1]) {
      let known = Scope.allCases.flatMap { scope in
        scope.options.map { "\(scope.rawValue).\(parts[1]).\($0.name)" }
      }
      return Spelling.nearest(to: text, among: known)
    }
    // The right word in the wrong section, or a wrong one.
    var keys: [String: String] = [:]
    for option in OptionSpec.settings {
      guard let key = option.key else { continue }
      for name in [key, option.name, split(key).word] { keys[name] = key }
    }
    let known = keys.keys.sorted()
    return keys[word]
      ?? (Spelling.nearest(to: text, among: known) ?? Spelling.nearest(to: word, among: known))
      .flatMap { keys[$0] }
  }

  private static func split(_ key: String) -> (section: String, word: String) {
    guard let dot = key.lastIndex(of: ".") else { return ("", key) }
    return (String(key[..<dot]), String(key[key.index(after: dot)...]))
  }
}

extension OptionSpec {
  /// The settings that concern all, in the order of the file.
  static let settings: [OptionSpec] = [
    server, channel, cacert, timeout, output, buffer, latency, rate, volume, replayGain, sync,
    cacheSize, cacheReserve,
  ]

  /// The address of a saved server; it has no option of its own.
  static let savedURL = OptionSpec(
    name: "url", placeholder: "URL", help: "its address", scope: .server)
  /// What a saved output is; it has no option of its own.
  static let savedSink = OptionSpec(
    name: "sink", placeholder: "SINK", help: "alsa[:DEVICE], null, wav:PATH or pipe:PATH",
    scope: .output)
}
