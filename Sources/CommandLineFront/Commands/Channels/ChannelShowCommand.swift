import RoomClient
import RoomProtocol

/// `channel show`: what a room is for, who listens, what plays.
enum ChannelShowCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withRoom { session, channel, user in
      let room = try await context.glance(at: channel, on: session)
      context.present(
        text(channel, room, user),
        json: JSONValue(channel: channel).adding("people", .people(of: channel, user))
          .adding("room", room.json))
      return .done
    }
  }

  private static func text(_ channel: ChannelInfo, _ room: RoomPicture, _ user: User?) -> String {
    let people = channel.listeners.map { People.text($0, user) }.joined(separator: ", ")
    let listeners = counted(channel.listenerCount, "listener")
    let rows = [
      ("room", Printable.escaped(channel.name) + (channel.isDefault ? " (default)" : "")),
      ("about", Printable.escaped(channel.description)), ("plays", playing(room)),
      ("mode", room.state.map { Printable.escaped($0.playbackMode.name) } ?? ""),
      ("queue", counted(channel.trackCount, "track")),
      ("people", listeners + (people.isEmpty ? "" : ": \(people)")),
      ("id", Printable.escaped(channel.id.rawValue)),
    ]
    return rows.filter { !$0.1.isEmpty }.map { name, value in
      "\(Printable.padded(name, to: 8)) \(value)"
    }.joined(separator: "\n")
  }

  private static func playing(_ room: RoomPicture) -> String {
    guard let state = room.state, let track = state.track else { return "nothing" }
    let place = room.position.map { "\(TimeText.text($0)) of \(TimeText.text(track.length))" } ?? ""
    return "\(track.quotedName), row \(state.currentIndex + 1), \(place)"
      + (state.paused ? ", paused" : "")
  }
}

/// `channel people`: who listens in a room.
enum ChannelPeopleCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withRoom { _, channel, user in
      guard !context.isJSON else {
        context.console.print([
          "channel_id": .text(channel.id.rawValue), "channel": .text(channel.name),
          "listeners": JSONValue(channel.listenerCount), "people": .people(of: channel, user),
        ])
        return .done
      }
      for name in channel.listeners { context.console.print(People.text(name, user)) }
      let unnamed = channel.listenerCount - channel.listeners.count
      let title = Printable.escaped(channel.name)
      if channel.listenerCount == 0 {
        context.console.note("nobody listens in \(title)")
      } else if unnamed > 0 {
        let more = channel.listeners.isEmpty ? "" : "more "
        context.console.note("\(unnamed) \(more)in \(title), whom the server does not name")
      }
      return .done
    }
  }
}

/// The names of those who listen.
enum People {
  /// A name, and whether it is ours.
  static func text(_ name: String, _ user: User?) -> String {
    Printable.escaped(name) + (name == user?.username ? " (you)" : "")
  }
}

extension JSONValue {
  /// Those who listen in a room.
  static func people(of channel: ChannelInfo, _ user: User?) -> JSONValue {
    .list(
      channel.listeners.map { ["name": .text($0), "you": .bool($0 == user?.username)] })
  }
}

extension CommandContext {
  /// Does something with the room that the operand names, else with the one that is meant.
  ///
  /// - Throws: what `body` throws, and what connecting throws.
  func withRoom(
    _ body: (ServerSession, ChannelInfo, User?) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    try await withRoomServer { session in
      let user = try await identity(on: session).user
      let channels = try await channels(on: session)
      let channel = try await meant(among: channels, on: session, named: invocation.operands.first)
      return try await body(session, channel, user)
    }
  }
}
