import RoomProtocol

/// A room before it is joined: which, and who we are to the server.
struct RoomEntrance: Sendable {
  var channel: ChannelInfo
  var identity: AuthEnvelope

  /// What a permission that changes nothing is called; all others may be the one that is needed.
  private static let harmless: Set<String> = ["listen", "switch", "view", "read", "join"]

  /// Whether a wish to control or edit the room is known to be refused.
  ///
  /// Guests may listen and switch (protocol.md 4), unless the server names a permission for them.
  /// Of everybody else the server decides.
  var isBarred: Bool {
    guard let user = identity.user, user.isGuest, !user.isAdmin else { return false }
    return !identity.permissions.contains { permission in
      let isHere = permission.resourceID == nil || permission.resourceID == channel.id.rawValue
      return isHere && !Self.harmless.contains(permission.permission)
    }
  }

  /// Refuses those who are known to be refused, before anything is sent.
  ///
  /// - Parameter wish: what was to be done to the room: `pause`, `add to the queue of`.
  /// - Throws: `Diagnostic` of the code `sign_in_needed`.
  func checkControl(_ wish: String) throws(Diagnostic) {
    guard isBarred else { return }
    throw .guestRefused("cannot \(wish) \(Printable.escaped(channel.name))")
  }
}
