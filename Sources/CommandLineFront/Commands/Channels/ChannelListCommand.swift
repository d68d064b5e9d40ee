import RoomClient
import RoomProtocol

/// `channel list`: the server's rooms.
enum ChannelListCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withRoomServer { session in
      _ = try await context.identity(on: session)
      let channels = try await context.channels(on: session)
      let current = channels.isEmpty ? nil : try? await context.meant(among: channels, on: session)
      guard !context.isJSON else {
        let rows = channels.map { channel in
          JSONValue(channel: channel).adding("current", .bool(channel.id == current?.id))
        }
        context.console.print(["channels": .list(rows)])
        return .done
      }
      let table = Columns(
        columns: [.text, .word, .word, .word, .text],
        rows: channels.map { cells($0, isCurrent: $0.id == current?.id) })
      for line in table.lines(on: context.console.terminal) { context.console.print(line) }
      if channels.isEmpty { context.console.note("the server has no room") }
      return .done
    }
  }

  private static func cells(_ channel: ChannelInfo, isCurrent: Bool) -> [String] {
    [
      (isCurrent ? "> " : "  ") + Printable.escaped(channel.name),
      channel.isDefault ? "default" : "", counted(channel.trackCount, "track"),
      counted(channel.listenerCount, "listener"),
      Printable.escaped(channel.id.rawValue),
    ]
  }
}

extension CommandContext {
  /// The server's rooms; that some could not be read is said.
  ///
  /// - Throws: `RoomError`.
  func channels(on session: ServerSession) async throws(RoomError) -> [ChannelInfo] {
    let channels = try await session.api.channels()
    if channels.droppedElements > 0 {
      console.note("\(counted(channels.droppedElements, "room")) could not be read")
    }
    return channels.elements
  }
}

extension JSONValue {
  /// The object with one more member at its end.
  func adding(_ key: String, _ value: JSONValue) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members + [.init(key: key, value: value)])
  }
}
