import Glibc
import RoomClient
import RoomProtocol

/// `config list`: the value that holds for each key, and where it comes from.
enum ConfigListCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let settings = context.settings
    let rows = OptionSpec.settings.map { option in
      (key: SettingKey(option), value: settings.value(of: option))
    }
    let saved = settings.text.entries.filter { SettingKey(inFile: $0.key)?.owner != nil }
    guard !context.isJSON else {
      context.console.print([
        "path": .text(settings.path),
        "settings": .list(rows.map { JSONValue(setting: $0.key, $0.value) }),
        "saved": .list(
          saved.map { entry in
            ["key": .text(entry.key), "value": .text(entry.value), "line": JSONValue(entry.line)]
          }),
      ])
      return .done
    }
    let lines = Columns(
      columns: [.word, .text, .text],
      rows: rows.map { key, value in
        [key.description, Printable.escaped(value?.text ?? ""), place(of: value, key)]
      }
        + saved.map { [Printable.escaped($0.key), Printable.escaped($0.value), "line \($0.line)"] })
    for line in lines.lines(on: context.console.terminal) { context.console.print(line) }
    return .done
  }

  /// Where a value comes from, in words: `--volume`, `line 33`.
  static func place(of value: Settings.Value?, _ key: SettingKey) -> String {
    switch value?.origin {
    case nil: "not set"
    case .option(let name)?, .variable(let name)?: name
    case .file(let line, let own)?:
      "line \(line)" + (own == key.description ? "" : ", \(Printable.escaped(own))")
    case .standard?: "default"
    }
  }
}

/// `config get`: the value that holds for one key.
enum ConfigGetCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let key = try SettingKey(typed: context.invocation.operands[0])
    var value = context.settings.value(of: key.option)
    if key.owner != nil {
      value = context.settings.entry(key).map {
        .init(text: $0.value, origin: .file(line: $0.line, key: $0.key))
      }
    }
    guard let value else {
      throw Diagnostic(
        .notFound, "\(key) is not set",
        hint: "blastoise config set \(key) \(key.option.placeholder ?? "VALUE")")
    }
    context.present(Printable.escaped(value.text), json: JSONValue(setting: key, value))
    return .done
  }
}

/// `config set`: sets a key in the file, or removes it.
enum ConfigSetCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let settings = context.settings
    let key = try SettingKey(typed: context.invocation.operands[0])
    let value = context.invocation.operands[1]
    try settings.save(key, value)
    let shown = "\(key) = \(Printable.escaped(value)) in \(settings.shownPath)"
    context.confirm(
      value.isEmpty ? "\(key) is not set any more in \(settings.shownPath)" : shown,
      json: [
        "path": .text(settings.path), "key": .text(key.description),
        "value": value.isEmpty ? .null : .text(value),
      ])
    let now = Settings(context.invocation, environment: context.environment)
    if let problem = now.problem {
      context.console.note("blastoise: warning: \(problem.message)")
    } else if case .variable(let name)? = now.value(of: key.option)?.origin {
      context.console.note("\(name) goes before it")
    } else if key.option == .server, SettingKey.isName(value),
      !now.names(.server).contains(value), (try? ServerAddress(value))?.isNear == false
    {
      context.console.note(
        "no server is saved as \(value), so that it is an address "
          + "(blastoise config set server.\(value).url URL saves one)")
    }
    return .done
  }
}

/// `config path`: where the file is, whether it is there or not.
enum ConfigPathCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let path = context.settings.path
    context.present(
      context.settings.shownPath,
      json: ["path": .text(path), "exists": .bool(access(path, F_OK) == 0)])
    return .done
  }
}

extension SettingKey {
  /// Reads a key of the command line.
  ///
  /// - Throws: `Diagnostic` of the code `usage`, with the nearest key there is.
  init(typed text: String) throws(Diagnostic) {
    guard let key = SettingKey(text) else {
      let near = Self.nearest(to: text).map { "did you mean \($0)?" }
      throw .usage(
        "there is no setting \"\(Printable.escaped(text))\"",
        hint: near ?? "blastoise config list shows them all")
    }
    self = key
  }
}

extension JSONValue {
  /// A setting and what holds for it.
  init(setting key: SettingKey, _ value: Settings.Value?) {
    let (source, line): (String?, Int?) =
      switch value?.origin {
      case nil: (nil, nil)
      case .option?: ("option", nil)
      case .variable?: ("environment", nil)
      case .file(let line, _)?: ("file", line)
      case .standard?: ("default", nil)
      }
    self = [
      "key": .text(key.description), "value": JSONValue(value?.text),
      "default": JSONValue(key.owner == nil ? key.option.standard : nil),
      "source": JSONValue(source), "line": JSONValue(line),
    ]
  }
}
