extension CommandTable {
  /// Listening, serving, and the devices.
  static let applications: [CommandSpec] = [
    CommandSpec(
      name: .demo, options: [.duration, .output, .buffer, .volume],
      summary: "an embedded room with built-in tracks, joined and played",
      details: "Needs no server, no music and no sound card.",
      example: "blastoise demo --for 10 --output null",
      run: DemoCommand.run),
    CommandSpec(
      name: .serve, operands: [.init(name: "DIR", isRequired: false)],
      options: [.port, .host, .certificate, .key, .importProgram, .uploadLimit],
      summary: "a room server over a folder of music",
      details: "DIR is the current folder where it is left out.",
      example: "blastoise serve ~/Music --port 3001",
      run: ServeCommand.run),
    CommandSpec(
      name: .listen, operands: [.init(name: "ROOM", isRequired: false)],
      options: OptionSpec.listening,
      summary: "join a room, play in sync, take typed commands",
      details: """
        Waits for a server or a device that is missing, and goes on when it is back. Ends with
        Ctrl-C.
        """,
      example: "blastoise listen Lobby --output alsa",
      run: ListenCommand.run),
    CommandSpec(
      name: .devices, options: [.test], summary: "the sound devices and the other outputs",
      example: "blastoise devices --test",
      run: DevicesCommand.run),
    CommandSpec(
      name: .completions,
      operands: [.init(name: "bash|zsh|fish", choices: CompletionScripts.shells)],
      summary: "a script that completes commands in a shell",
      details: """
        bash and fish read it at once: source <(blastoise completions bash), blastoise completions
        fish | source. zsh wants it in a file _blastoise of a folder of $fpath. Names of rooms,
        playlists and tracks come from what is kept on disk, never from the network.
        """,
      example: "blastoise completions bash",
      run: CompletionsCommand.run),
  ]
}
