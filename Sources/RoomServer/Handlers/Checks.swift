import RoomProtocol

/// What names and descriptions must be, of channels and playlists alike.
extension RequestBody.Details {
  /// The name without blanks around it, nil where there is none.
  ///
  /// - Throws: `Refusal` with 400.
  func givenName() throws(Refusal) -> String? {
    guard let name = name?.trimmed else { return nil }
    guard (1...100).contains(name.count), !name.hasControlCharacters else {
      throw Refusal(400, "a name has 1 to 100 characters")
    }
    return name
  }

  /// The name of something new.
  ///
  /// - Throws: `Refusal` with 400.
  func neededName() throws(Refusal) -> String {
    guard let name = try givenName() else { throw Refusal(400, "a name is needed") }
    return name
  }

  /// The description, nil where there is none.
  ///
  /// - Throws: `Refusal` with 400.
  func givenDescription() throws(Refusal) -> String? {
    guard let description else { return nil }
    guard description.count <= 2000 else {
      throw Refusal(400, "a description has at most 2,000 characters")
    }
    return description
  }
}
