import RoomProtocol
import Testing

@Suite struct NameLookupTests {
  static let channels = [
    ChannelInfo(id: "1", name: "Lobby"), ChannelInfo(id: "12", name: "Lounge"),
    ChannelInfo(id: "x9", name: "lobby annex"), ChannelInfo(id: "Lounge", name: "Other"),
    ChannelInfo(id: "5", name: "Attic"), ChannelInfo(id: "6", name: "attic"),
  ]

  @Test(arguments: [
    ("1", ["1"]), ("Lobby", ["1"]), ("lobby", ["1"]), ("lobby a", ["x9"]), ("Lounge", ["Lounge"]),
    ("lo", ["1", "12", "x9"]), ("x", ["x9"]), ("nothing", []), ("", []),
    ("Attic", ["5"]), ("attic", ["6"]), ("ATTIC", ["5", "6"]), ("at", ["5", "6"]),
  ])
  func `ids go before names and names before beginnings`(text: String, expected: [String]) {
    let found: [ChannelInfo] =
      switch NameLookup(text, in: Self.channels) {
      case .found(let channel): [channel]
      case .ambiguous(let channels): channels
      case .missing: []
      }
    #expect(found.map(\.id.rawValue) == expected)
  }
}
