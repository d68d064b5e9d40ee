import Playback
import RoomClient
import Storage

/// What somebody wants and where they said so: the command line, the environment, the configuration
/// file, in this order, and what holds where nobody says anything.
///
/// In the file the section of the server or output that is chosen goes before the sections that
/// concern all. Reading it never fails: what is wrong with it is `problem`.
struct Settings: Sendable {
  /// Where a value came from.
  enum Origin: Equatable, Sendable {
    case option(String)
    case variable(String)
    /// The line, from 1, and the key that stands there.
    case file(line: Int, key: String)
    case standard
  }

  /// A value and where it came from.
  struct Value: Equatable, Sendable {
    var text: String
    var origin: Origin
  }

  /// The file, whether it is there or not.
  let path: String
  /// Why the file can't be used, nil where it can.
  private(set) var problem: Diagnostic?
  /// What is odd in the file, a line each, fit for a terminal.
  private(set) var warnings: [String] = []
  /// What the file says.
  private(set) var text = ConfigurationText("")
  /// The saved server that is chosen; nil where it is none of them.
  private(set) var serverName: String?
  /// The saved output that is chosen; nil where it is none of them.
  private(set) var outputName: String?

  private let environment: [String: String]
  private let given: Invocation
  /// What the command takes: another's option of the same name is not meant.
  private let options: [OptionSpec]
  private var entries: [String: ConfigurationText.Entry] = [:]

  /// Reads the file that the command line, the environment or the rules of XDG name.
  init(_ invocation: Invocation, environment: [String: String]) {
    self.environment = environment
    given = invocation
    options = OptionSpec.global + CommandTable.spec(invocation.command).options
    path = invocation[.config] ?? Self.standardPath(environment)
    do throws(Diagnostic) {
      text = ConfigurationText(
        try ConfigurationFile(path: path).read(isRequired: invocation.has(.config)) ?? "")
    } catch {
      problem = error
    }
    for entry in text.entries { entries[entry.key] = entry }
    problem = problem ?? firstFault
    warnings = text.entries.compactMap { entry in
      SettingKey(inFile: entry.key) == nil ? warning(of: entry) : nil
    }
    outputName = chosen(.output)
    serverName = chosen(.server)
  }

  /// The file that is read where nobody names one.
  static func standardPath(_ environment: [String: String]) -> String {
    // The XDG rules: what is not absolute is to be ignored.
    let root = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return "\(root ?? "\(environment["HOME"] ?? ".")/.config")/blastoise/blastoise.conf"
  }

  // MARK: - Asking

  /// The value that holds for an option, as text; nil where there is none.
  subscript(_ option: OptionSpec) -> String? { value(of: option)?.text }

  /// The value that holds for an option, and where it came from.
  func value(of option: OptionSpec) -> Value? {
    if let text = given.values[option.name], options.contains(option) {
      let origin = given.origins[option.name] ?? "--\(option.name)"
      return Value(
        text: text, origin: origin == option.variable ? .variable(origin) : .option(origin))
    }
    if let variable = option.variable, let text = environment[variable], !text.isEmpty {
      return Value(text: text, origin: .variable(variable))
    }
    if let entry = entry(for: option) {
      return Value(text: entry.value, origin: .file(line: entry.line, key: entry.key))
    }
    return option.standard.map { Value(text: $0, origin: .standard) }
  }

  /// What stands in the file for a key itself, wherever else the value may come from.
  func entry(_ key: SettingKey) -> ConfigurationText.Entry? {
    entries[key.description].flatMap { $0.value.isEmpty ? nil : $0 }
  }

  /// The names of the saved servers or outputs, in the order of the file.
  func names(_ scope: SettingKey.Scope) -> [String] {
    text.entries.reduce(into: []) { names, entry in
      let parts = entry.key.split(separator: ".")
      guard parts.count == 3, parts[0] == scope.rawValue, !names.contains(String(parts[1])) else {
        return
      }
      names.append(String(parts[1]))
    }
  }

  /// The command line with what the file adds to it.
  ///
  /// - Throws: `Diagnostic` where the chosen server or output is saved without its address.
  func completing(_ invocation: Invocation) throws(Diagnostic) -> Invocation {
    var invocation = invocation
    let options = OptionSpec.global + CommandTable.spec(invocation.command).options
    for option in options where option.key != nil && invocation.values[option.name] == nil {
      guard let entry = entry(for: option) else { continue }
      invocation.values[option.name] = resolved(entry.value, of: option)
      invocation.origins[option.name] = "\(entry.key) in line \(entry.line) of \(shownPath)"
    }
    for (scope, name) in [(SettingKey.Scope.server, serverName), (.output, outputName)] {
      guard let name, options.contains(scope.chooser), invocation.has(scope.chooser) else {
        continue
      }
      let place = SettingKey(scope.address, of: name, scope)
      guard let entry = entry(place) else {
        throw Diagnostic(
          .config, "\(scope.rawValue) \(name) has no \(place.word) in \(shownPath)",
          hint: "blastoise config set \(place) \(place.option.placeholder ?? "")")
      }
      invocation.values[scope.chooser.name] = entry.value
    }
    return invocation
  }

  private func entry(for option: OptionSpec) -> ConfigurationText.Entry? {
    if let scope = option.scope, let name = scope == .server ? serverName : outputName,
      let own = entry(SettingKey(option, of: name, scope))
    {
      return own
    }
    return option.key == nil ? nil : entry(SettingKey(option))
  }

  /// The saved thing that is meant: by its name, a server also by its address.
  private func chosen(_ scope: SettingKey.Scope) -> String? {
    guard let text = self[scope.chooser] else { return nil }
    let names = names(scope)
    if names.contains(text) { return text }
    guard scope == .server, let address = try? ServerAddress(text) else { return nil }
    return names.first { name in
      let url = entry(SettingKey(.savedURL, of: name, .server))?.value
      return url.flatMap { try? ServerAddress($0) } == address
    }
  }

  /// A file of the configuration lies beside it, or at home, where its path is not whole.
  private func resolved(_ value: String, of option: OptionSpec) -> String {
    guard option == .cacert, !value.hasPrefix("/") else { return value }
    if value.hasPrefix("~/") { return "\(environment["HOME"] ?? "")\(value.dropFirst())" }
    return "\(Folder.parent(of: path))/\(value)"
  }

  /// The path, fit for a terminal.
  var shownPath: String { Printable.escaped(path) }

  // MARK: - Changing

  /// Saves a value where it is read: in the section of the server or output that is chosen, where
  /// it stands there, else in the one that concerns all.
  ///
  /// - Parameters:
  ///   - option: the setting.
  ///   - value: the value; empty removes it.
  /// - Returns: the key it was saved under.
  /// - Throws: `Diagnostic`.
  @discardableResult
  func save(_ option: OptionSpec, _ value: String) throws(Diagnostic) -> SettingKey {
    var key = SettingKey(option)
    if let scope = option.scope, let name = scope == .server ? serverName : outputName {
      let own = SettingKey(option, of: name, scope)
      if entry(own) != nil { key = own }
    }
    try save(key, value)
    return key
  }

  /// Saves a value under a key: the file is read anew under a lock, changed in this line alone, and
  /// replaced whole; where there is none it is made, with all keys in it.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - value: the value; empty removes it.
  /// - Throws: `Diagnostic` of the code `usage` for a value that makes no sense, `config` for a file
  ///   that can't be read, and what the system refuses.
  func save(_ key: SettingKey, _ value: String) throws(Diagnostic) {
    if !value.isEmpty, let wanted = expectation(of: value, for: key.option) {
      throw .usage("\(key) takes \(wanted), not \"\(Printable.escaped(value))\"")
    }
    let file = ConfigurationFile(path: path)
    try file.change(lockedIn: CommandContext.stateFolder(environment)) { text in
      if value.isEmpty { text.remove(key) } else { text.set(key, to: value) }
    }
  }

  /// Stores where the chosen server has moved to, if it is a saved one.
  func adopt(_ address: ServerAddress) {
    guard let serverName else { return }
    // A file that can't be written is no reason to stop: the old address still leads there.
    try? save(SettingKey(.savedURL, of: serverName, .server), address.description)
  }

  // MARK: - What is wrong

  /// What a value should have been, in words; nil where it is fine.
  private func expectation(of value: String, for option: OptionSpec) -> String? {
    if value.unicodeScalars.contains(where: Printable.isUnsafe) { return "one line of text" }
    switch option {
    case .server where !names(.server).contains(value) && (try? ServerAddress(value)) == nil:
      return "a server's address or the name of a saved one"
    case .savedURL where (try? ServerAddress(value)) == nil: return "a server's address"
    case .output where names(.output).contains(value): return nil
    case .output where SinkTable.maker(for: value) == nil,
      .savedSink where SinkTable.maker(for: value) == nil:
      return SinkTable.rows.map(\.usage).joined(separator: ", ")
    default: return option.expectation(of: value)
    }
  }

  /// The first line that can't be used.
  private var firstFault: Diagnostic? {
    var faults = text.flaws.map { ($0.line, $0.reason) }
    for entry in text.entries where !entry.value.isEmpty {
      guard let key = SettingKey(inFile: entry.key),
        let wanted = expectation(of: entry.value, for: key.option)
      else { continue }
      faults.append(
        (entry.line, "\(key) takes \(wanted), not \"\(Printable.escaped(entry.value))\""))
    }
    guard let first = faults.min(by: { $0.0 < $1.0 }) else { return nil }
    return Diagnostic(
      .config, "cannot use the configuration in \(shownPath)",
      why: "line \(first.0): \(first.1)",
      hint: "docs/configuration.md lists the keys; blastoise config set changes one")
  }

  private func warning(of entry: ConfigurationText.Entry) -> String {
    let near = SettingKey.nearest(to: entry.key).map { "; did you mean \($0)?" } ?? ""
    return "\(shownPath), line \(entry.line): unknown key \(Printable.escaped(entry.key))\(near)"
  }
}
