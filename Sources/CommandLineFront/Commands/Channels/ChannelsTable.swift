extension CommandTable {
  /// The rooms of a server.
  static let channels: [CommandSpec] = [
    CommandSpec(
      name: .channelList, summary: "the server's rooms", example: "blastoise channel list --json",
      run: ChannelListCommand.run)
  ]
}
