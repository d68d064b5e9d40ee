import RoomProtocol
import TestSupport
import Testing

@Suite struct AuthEnvelopeTests {
  static let control = Permission(
    resourceType: "channel", resourceID: "lobby", permission: "control")

  func envelope(_ file: String) throws -> AuthEnvelope {
    try WireJSON.decode(from: Fixture.bytes("wire/\(file).json"))
  }

  @Test func `permissions in the user and beside it both count, each once`() throws {
    let me = try envelope("user-envelope-camel")
    #expect(me.user?.username == "ann")
    #expect(me.user?.isAdmin == true)
    #expect(me.user?.isGuest == false)
    #expect(
      me.permissions == [
        Self.control,
        Permission(resourceType: "library", resourceID: nil, permission: "upload"),
      ])
  }

  @Test func `snake case and numbers for truth values are read`() throws {
    let me = try envelope("user-envelope-snake")
    #expect(me.user == User(id: 3, username: "ann", isAdmin: true))
    #expect(
      me.permissions == [
        Permission(resourceType: "channel", resourceID: "12", permission: "control")
      ])
  }

  @Test func `a bare user is an envelope too`() throws {
    #expect(
      try envelope("user-bare")
        == AuthEnvelope(user: User(id: 9, username: "guest-9", isGuest: true)))
  }

  @Test func `nobody is signed in`() throws {
    #expect(try envelope("user-none") == AuthEnvelope(user: nil))
    #expect(try read(AuthEnvelope.self, "{}") == AuthEnvelope(user: nil))
  }

  @Test func `an envelope reads back`() throws {
    for file in ["user-envelope-camel", "user-envelope-snake", "user-bare", "user-none"] {
      let me = try envelope(file)
      #expect(try read(AuthEnvelope.self, json(me)) == me)
    }
  }

  @Test func `a user of whom nothing is said is a guest with id 0`() throws {
    #expect(try read(User.self, "{}") == User(id: 0, username: "guest"))
  }
}

@Suite struct ServerStatusTests {
  func status(_ file: String) throws -> ServerStatus {
    try WireJSON.decode(from: Fixture.bytes("wire/\(file).json"))
  }

  @Test func `our own status reads back`() throws {
    let status = try status("status-ours")
    #expect(
      status
        == ServerStatus(
          allowsGuests: true, allowsSignups: false,
          ytdlp: .init(enabled: true, available: true), name: "Living room", version: "0.1"))
    #expect(status.offersImports)
    #expect(try read(ServerStatus.self, json(status)) == status)
  }

  @Test func `flags of other names count, and what is not said is not known`() throws {
    let other = try status("status-other")
    #expect(other.allowsGuests == true)
    #expect(other.allowsSignups == true)
    #expect(!other.offersImports)
    #expect(try status("status-empty") == ServerStatus())
  }
}

@Suite struct PlaylistTests {
  @Test func `a shelf keeps what can be read and counts the rest`() throws {
    let shelf: PlaylistShelf = try WireJSON.decode(from: Fixture.bytes("wire/playlists.json"))
    #expect(
      shelf.mine.elements == [
        Playlist(
          id: "p1", name: "Mine", description: "d", ownerID: 3, trackIDs: ["a", "a", "5"],
          createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_001)
      ])
    #expect(
      shelf.shared
        == TolerantList(
          [Playlist(id: "p2", ownerName: "ben", isPublic: true, shareToken: "tok")],
          droppedElements: 1))
    #expect(try read(PlaylistShelf.self, json(shelf)).mine == shelf.mine)
  }
}
