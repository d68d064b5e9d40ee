import RoomClient
import RoomProtocol

/// `seek`: moves within the track, for everyone in the room.
enum SeekCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    guard let position = TimeText.position(context.invocation.operands[0]) else {
      throw Diagnostic.usage(
        "\"\(Printable.escaped(context.invocation.operands[0]))\" is no position",
        hint: "positions are 90, 1:30, 1:02:03, +15, -15 and 50%")
    }
    return try await context.withServer { session in
      let entrance = try await context.entrance(on: session)
      let channel = entrance.channel
      try entrance.checkControl("seek in")
      let before = try await context.glance(at: channel, on: session)
      guard let track = before.state?.track else {
        throw Diagnostic(.notFound, "nothing plays in \(before.title)")
      }
      guard let place = position.resolved(current: before.position ?? .zero, length: track.length)
      else {
        throw Diagnostic.usage("the length of \(track.quotedName) is not known: no per cent of it")
      }
      let what = "cannot seek in \(before.title)"
      try await attempting(what) { () throws(RoomError) in
        try await session.api.seek(to: place.inSeconds, in: channel.id)
      }
      let room = try await context.reading(channel, on: session, orElse: what) { room in
        // Its end may have come meanwhile, and with it another track.
        room.state?.track?.id != track.id || abs(((room.position ?? .zero) - place).inSeconds) < 3
      }
      let length = TimeText.text(track.length)
      context.confirm(
        "\(room.title) is at \(TimeText.text(place)) of \(length) \(room.audience)", json: room.json
      )
      return .done
    }
  }
}
