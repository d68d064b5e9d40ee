extension CommandTable {
  /// The rooms of a server.
  static let channels: [CommandSpec] = [
    CommandSpec(
      name: .channelList, summary: "the server's rooms",
      details: "> marks the one that is meant where none is named.",
      example: "blastoise channel list --json", run: ChannelListCommand.run),
    CommandSpec(
      name: .channelShow, operands: [.init(name: "ROOM", isRequired: false)],
      summary: "a room: what it is for, who listens, what plays",
      details: "Nobody there sees that you look.", example: "blastoise channel show Lobby",
      run: ChannelShowCommand.run),
    CommandSpec(
      name: .channelPeople, operands: [.init(name: "ROOM", isRequired: false)],
      summary: "who listens in a room", example: "blastoise channel people",
      run: ChannelPeopleCommand.run),
    CommandSpec(
      name: .channelCreate, operands: [.init(name: "NAME")], options: [.description],
      summary: "make a room",
      example: "blastoise channel create Attic --description tapes",
      run: ChannelCreateCommand.run),
    CommandSpec(
      name: .channelEdit, operands: [.init(name: "ROOM", isRequired: false)],
      options: [.newName, .description], summary: "rename or describe a room",
      example: "blastoise channel edit Attic --name Loft", run: ChannelEditCommand.run),
    CommandSpec(
      name: .channelDelete, operands: [.init(name: "ROOM")], options: [.yes],
      summary: "delete a room", details: "Its queue goes with it; who listens there is moved.",
      example: "blastoise channel delete Attic --yes", run: ChannelDeleteCommand.run),
  ]
}
