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
    let text = JSONValue.Member("position", .text(context.invocation.operands[0]))
    if let status = try await context.locally("seek", [text], say: LocalText.place) {
      return status
    }
    if let visit = try await context.visitThroughListener(wantsQueue: false, wish: "seek in") {
      return try await seek(to: position, in: visit, context)
    }
    return try await context.withServer { session in
      let entrance = try await context.entrance(on: session)
      let channel = entrance.channel
      try entrance.checkControl("seek in")
      let before = try await context.glance(at: channel, on: session)
      let (track, place) = try place(position, in: before)
      let what = "cannot seek in \(before.title)"
      try await attempting(what) { () throws(RoomError) in
        try await session.api.seek(to: place.inSeconds, in: channel.id)
      }
      let room = try await context.reading(channel, on: session, orElse: what) { room in
        isThere(room, track, place)
      }
      return report(room, track, place, context)
    }
  }

  /// Seeks through the listener.
  private static func seek(
    to position: TimeText.Position, in visit: RoomVisit, _ context: CommandContext
  ) async throws -> ExitStatus {
    let (track, place) = try place(position, in: visit.picture)
    let what = "cannot seek in \(visit.picture.title)"
    try await visit.wish(.seek(timestamp: place.inSeconds), orElse: what) {
      isThere($0.picture, track, place)
    }
    return report(visit.picture, track, place, context)
  }

  /// What plays, and the place in it that is meant.
  private static func place(
    _ position: TimeText.Position, in room: RoomPicture
  ) throws(Diagnostic) -> (Track, Duration) {
    guard let track = room.state?.track else {
      throw Diagnostic(.notFound, "nothing plays in \(room.title)")
    }
    guard let place = position.resolved(current: room.position ?? .zero, length: track.length)
    else {
      throw Diagnostic.usage("the length of \(track.quotedName) is not known: no per cent of it")
    }
    return (track, place)
  }

  /// Whether a room is where it was sought to be; its end may have come meanwhile, and with it
  /// another track.
  private static func isThere(_ room: RoomPicture, _ track: Track, _ place: Duration) -> Bool {
    room.state?.track?.id != track.id || abs(((room.position ?? .zero) - place).inSeconds) < 3
  }

  private static func report(
    _ room: RoomPicture, _ track: Track, _ place: Duration, _ context: CommandContext
  ) -> ExitStatus {
    let length = TimeText.text(track.length)
    context.confirm(
      "\(room.title) is at \(TimeText.text(place)) of \(length) \(room.audience)", json: room.json)
    return .done
  }
}
