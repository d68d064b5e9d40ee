extension CommandTable {
  /// What concerns the listener on this machine.
  static let listener: [CommandSpec] = [
    CommandSpec(
      name: .status, options: [.watch, .format],
      summary: "what the running listener hears",
      details: """
        Without a listener, or where --channel or --server mean another place than its, the server is
        asked once. TEMPLATE is a text with fields in braces:
        {artist} {title} {album} {elapsed} {duration} {state} {room} {drift} {volume} and others
        (docs/control.md); {{ is a brace. With --watch a line comes whenever the text changes.
        """,
      example: "blastoise status --format \"{artist}:{title}\"",
      run: StatusCommand.run),
    CommandSpec(
      name: .events, summary: "what happens to the running listener, a line an event",
      example: "blastoise events --json",
      run: EventsCommand.run),
    CommandSpec(
      name: .join, operands: [.init(name: "ROOM", isRequired: false)],
      summary: "move the running listener to another room, or back to one",
      details: "Without ROOM it is the room that library play has left.",
      example: "blastoise join Lobby",
      run: JoinCommand.run),
    CommandSpec(
      name: .stop, summary: "end the running listener", example: "blastoise stop",
      run: StopCommand.run),
    CommandSpec(
      name: .resync, summary: "put what the running listener plays where the room is",
      example: "blastoise resync",
      run: ResyncCommand.run),
    CommandSpec(
      name: .volume, operands: [.init(name: "N|+N|-N", isRequired: false)],
      summary: "show or set the volume of this machine, 0 to 100",
      details: "Without a listener the next one begins with it: it is saved.",
      example: "blastoise volume -10",
      run: VolumeCommand.run),
    CommandSpec(
      name: .mute, summary: "silence this machine", example: "blastoise mute",
      run: { try await VolumeCommand.mute($0, true) }),
    CommandSpec(
      name: .unmute, summary: "let this machine sound again", example: "blastoise unmute",
      run: { try await VolumeCommand.mute($0, false) }),
    CommandSpec(
      name: .latency, operands: [.init(name: "MS|+MS|-MS", isRequired: false)],
      summary: "show or set what the device adds after ALSA",
      details: """
        In milliseconds; more makes the sound come earlier. With a sign it is a step. It acts at once;
        without a listener the next one begins with it: it is saved.
        """,
      example: "blastoise latency 120",
      run: LatencyCommand.run),
  ]
}
