import RoomClient
import RoomProtocol

/// `channel create`: makes a room.
enum ChannelCreateCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let name = context.invocation.operands[0]
    try GivenName.check(name)
    return try await context.withRoomServer { session in
      _ = try await context.identity(on: session)
      let before = try await context.channels(on: session)
      let what = "cannot make the room \(Printable.escaped(name))"
      let told = try await attempting(what) { () throws(RoomError) in
        try await session.api.createChannel(
          name: name, description: context.invocation[.description])
      }
      // The list is believed, whatever the answer was.
      let new = try await context.channels(on: session).filter { channel in
        !before.contains { $0.id == channel.id }
      }
      guard let room = new.first(where: { $0.id == told?.id }) ?? new.last else {
        throw Diagnostic(.unconfirmed, what, why: "it is not among the server's rooms")
      }
      context.confirm(
        "made the room \(Printable.escaped(room.name)) (\(Printable.escaped(room.id.rawValue)))",
        json: JSONValue(channel: room))
      return .done
    }
  }
}

/// `channel edit`: renames or describes a room.
enum ChannelEditCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let (name, description) = (context.invocation[.newName], context.invocation[.description])
    guard name != nil || description != nil else {
      throw Diagnostic.usage("channel edit changes nothing", hint: "give --name or --description")
    }
    if let name { try GivenName.check(name) }
    return try await context.withRoom { session, channel, _ in
      let title = Printable.escaped(channel.name)
      try await attempting("cannot change \(title)") { () throws(RoomError) in
        try await session.api.editChannel(channel.id, name: name, description: description)
      }
      let now = try await context.channels(on: session).first { $0.id == channel.id }
      guard let now, name.map({ now.name == GivenName.trimmed($0) }) ?? true,
        description.map({ now.description == $0 }) ?? true
      else {
        throw Diagnostic(
          .unconfirmed, "cannot change \(title)",
          why: now.map { "the server has it as \(Printable.escaped($0.name)) still" }
            ?? "it is gone")
      }
      var changes: [String] = []
      if name != nil { changes.append("is called \(Printable.escaped(now.name)) now") }
      if description != nil {
        let text = Printable.escaped(now.description)
        changes.append(text.isEmpty ? "has no description now" : "is described as \"\(text)\" now")
      }
      context.confirm(
        "\(title) \(changes.joined(separator: " and "))", json: JSONValue(channel: now))
      return .done
    }
  }
}

/// `channel delete`: deletes a room.
enum ChannelDeleteCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withRoom { session, channel, _ in
      let title = Printable.escaped(channel.name)
      let size = counted(channel.trackCount, "track")
      let audience = counted(channel.listenerCount, "listener")
      guard
        try await context.agrees(to: "delete the room \(title) with \(size) and \(audience)")
      else { return .done }
      try await attempting("cannot delete \(title)") { () throws(RoomError) in
        try await session.api.deleteChannel(channel.id)
      }
      guard try await !context.channels(on: session).contains(where: { $0.id == channel.id })
      else {
        throw Diagnostic(
          .unconfirmed, "cannot delete \(title)", why: "the server has the room still")
      }
      context.confirm("deleted the room \(title)", json: JSONValue(channel: channel))
      return .done
    }
  }
}
