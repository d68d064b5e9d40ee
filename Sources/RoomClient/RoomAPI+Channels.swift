package import RoomProtocol

extension RoomAPI {
  /// Makes a channel.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - description: what it is for; nil says nothing.
  /// - Returns: the channel as the server tells it; nil where the answer does not (read the list).
  /// - Throws: `RoomError`.
  package func createChannel(
    name: String, description: String? = nil
  ) async throws(RoomError) -> ChannelInfo? {
    let body = RequestBody.Details(name: name, description: description)
    return told(try await send(.createChannel, body: body))
  }

  /// Renames a channel; what is nil stays as it is.
  ///
  /// - Parameters:
  ///   - id: the channel.
  ///   - name: its new name.
  ///   - description: its new description.
  /// - Throws: `RoomError`.
  package func editChannel(
    _ id: ChannelID, name: String? = nil, description: String? = nil
  ) async throws(RoomError) {
    let body = RequestBody.Details(name: name, description: description)
    _ = try await send(.editChannel(id), body: body)
  }

  /// Deletes a channel; no server deletes its default one.
  ///
  /// - Parameter id: the channel.
  /// - Throws: `RoomError`.
  package func deleteChannel(_ id: ChannelID) async throws(RoomError) {
    _ = try await send(.deleteChannel(id))
  }

  /// Ends one's other sessions: their sockets are told to go.
  ///
  /// - Returns: how many, nil where the server does not say.
  /// - Throws: `RoomError`.
  package func kickOthers() async throws(RoomError) -> Int? {
    let told: KickAnswer? = told(try await send(.kickOthers))
    return told?.kicked
  }
}
