extension CommandTable {
  /// What is set, and where.
  static let configuration: [CommandSpec] = [
    CommandSpec(
      name: .configList, summary: "what is set, and where",
      details: """
        Shows the value that holds for each key: by the command line, the environment, the
        configuration file, or where nobody says anything; then the saved servers and outputs.
        """,
      example: "blastoise config list", run: ConfigListCommand.run),
    CommandSpec(
      name: .configGet, operands: [.init(name: "KEY")], summary: "the value that holds for a key",
      details: "Ends with 66 where there is none.", example: "blastoise config get listen.volume",
      run: ConfigGetCommand.run),
    CommandSpec(
      name: .configSet, operands: [.init(name: "KEY"), .init(name: "VALUE")],
      summary: "set a key in the configuration file",
      details: """
        An empty VALUE ("") removes the key. server.NAME.url saves a server, output.NAME.sink an
        output. Comments and all other lines of the file stay; where there is no file it is made,
        with every key in it.
        """,
      example: "blastoise config set server.home.url http://192.168.1.10:3001",
      run: ConfigSetCommand.run),
    CommandSpec(
      name: .configPath, summary: "where the configuration file is",
      example: "blastoise config path", run: ConfigPathCommand.run),
  ]
}
