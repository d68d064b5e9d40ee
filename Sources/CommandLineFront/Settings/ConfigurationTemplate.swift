/// The configuration file as it is made: every key with its help, none set.
enum ConfigurationTemplate {
  /// The whole file, made from the table.
  static var text: String {
    var sections: [(name: String, options: [OptionSpec])] = []
    for option in OptionSpec.settings {
      let section = SettingKey(option).section
      if let place = sections.firstIndex(where: { $0.name == section }) {
        sections[place].options.append(option)
      } else {
        sections.append((section, [option]))
      }
    }
    let parts = sections.map { section in
      (section.name.isEmpty ? "" : "[\(section.name)]\n\n")
        + section.options.map { entry(SettingKey($0)) }.joined(separator: "\n")
    }
    return ([head] + parts + SettingKey.Scope.allCases.map(example)).joined(separator: "\n")
  }

  private static let head = """
    # The settings of blastoise. What the command line says goes before the environment, the
    # environment before this file. `blastoise config list` shows what holds and where it comes from.

    """

  private static func entry(_ key: SettingKey) -> String {
    let option = key.option
    let value = option.standard ?? option.placeholder ?? ""
    let variable = option.variable.map { ", \($0)" } ?? ""
    return "# \(option.help) (--\(option.name)\(variable))\n#\(key.word) = \(value)\n"
  }

  private static func example(_ scope: SettingKey.Scope) -> String {
    let rows = scope.options.map { option in
      "#\(option.name) = \(option.standard ?? option.placeholder ?? "")\n"
    }
    let what = scope == .server ? "server, for --server home" : "output, for --output kitchen"
    return "# A saved \(what).\n#[\(scope.rawValue) \(scope == .server ? "home" : "kitchen")]\n"
      + rows.joined()
  }
}
