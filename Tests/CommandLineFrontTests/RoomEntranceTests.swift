import RoomProtocol
import Testing

@testable import CommandLineFront

@Suite struct RoomEntranceTests {
  private static let guest = User(id: 3, username: "guest-3", isGuest: true)
  private static let control = Permission(
    resourceType: "channel", resourceID: "lobby", permission: "control")

  @Test(arguments: [
    (AuthEnvelope(user: guest), true),
    (AuthEnvelope(user: User(id: 1, username: "ada")), false),
    (AuthEnvelope(user: nil), false),
    // A server that lets this guest do more says so.
    (AuthEnvelope(user: guest, permissions: [control]), false),
    (
      AuthEnvelope(
        user: guest, permissions: [Permission(resourceType: "channel", permission: "control")]),
      false
    ),
    (
      AuthEnvelope(
        user: guest,
        permissions: [
          Permission(resourceType: "channel", resourceID: "attic", permission: "control")
        ]), true
    ),
    (
      AuthEnvelope(
        user: guest, permissions: [Permission(resourceType: "channel", permission: "listen")]),
      true
    ),
    (AuthEnvelope(user: User(username: "root", isAdmin: true, isGuest: true)), false),
  ])
  func `only known guests are refused unasked`(identity: AuthEnvelope, isBarred: Bool) throws {
    let room = ChannelInfo(id: "lobby", name: "Lob\u{1B}by")
    let entrance = RoomEntrance(channel: room, identity: identity)
    #expect(entrance.isBarred == isBarred)
    guard isBarred else { return try entrance.checkControl("pause") }
    let failure = #expect(throws: Diagnostic.self) { try entrance.checkControl("pause") }
    #expect(failure?.code == .signInNeeded)
    #expect(failure?.message == "cannot pause Lob\\x1bby: guests may only listen")
  }
}
