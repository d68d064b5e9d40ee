import RoomClient
import RoomProtocol

/// `channel list`: the server's rooms.
enum ChannelListCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withServer { session in
      _ = try await session.api.me()
      let channels = try await session.api.channels()
      if channels.droppedElements > 0 {
        context.console.note("\(channels.droppedElements) rooms could not be read")
      }
      context.present(
        text(channels.elements),
        json: ["channels": .list(channels.elements.map(JSONValue.init(channel:)))])
      return .done
    }
  }

  private static func text(_ channels: [ChannelInfo]) -> String {
    let names = channels.map { Printable.escaped($0.name) + ($0.isDefault ? " (default)" : "") }
    let width = min(40, names.map { Printable.width($0) }.max() ?? 0)
    guard !channels.isEmpty else { return "no rooms" }
    return zip(channels, names).map { channel, name in
      let tracks = counted(channel.trackCount, "track")
      let listeners = counted(channel.listenerCount, "listener")
      return [
        Printable.padded(name, to: width), Printable.padded(tracks, to: 12),
        Printable.padded(listeners, to: 12), Printable.escaped(channel.id.rawValue),
      ].joined(separator: "  ")
    }.joined(separator: "\n")
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
