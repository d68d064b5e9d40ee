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
      let wish = try Wish(position, in: before)
      let what = "cannot seek in \(before.title)"
      try await attempting(what) { () throws(RoomError) in
        try await session.api.seek(to: wish.place.inSeconds, in: channel.id)
      }
      let room = try await context.reading(channel, on: session, orElse: what) { room in
        wish.isFulfilled(by: room, at: .now)
      }
      return report(room, wish, context)
    }
  }

  /// Seeks through the listener.
  private static func seek(
    to position: TimeText.Position, in visit: RoomVisit, _ context: CommandContext
  ) async throws -> ExitStatus {
    let wish = try Wish(position, in: visit.picture)
    let what = "cannot seek in \(visit.picture.title)"
    try await visit.wish(.seek(timestamp: wish.place.inSeconds), orElse: what) {
      wish.isFulfilled(by: $0.picture, at: .now)
    }
    return report(visit.picture, wish, context)
  }

  private static func report(
    _ room: RoomPicture, _ wish: Wish, _ context: CommandContext
  ) -> ExitStatus {
    let (place, length) = (TimeText.text(wish.place), TimeText.text(wish.track.length))
    context.confirm("\(room.title) is at \(place) of \(length) \(room.audience)", json: room.json)
    return .done
  }

  /// A place that was asked for, and where the room was then.
  struct Wish {
    let track: Track
    /// Where the room is to be.
    let place: Duration
    private let before: Duration
    private let at: ContinuousClock.Instant

    /// Takes what is meant from a room as it is now.
    ///
    /// - Throws: `Diagnostic` where nothing plays, or a share is meant of what has no known length.
    init(
      _ position: TimeText.Position, in room: RoomPicture, at now: ContinuousClock.Instant = .now
    ) throws(Diagnostic) {
      guard let track = room.state?.track else {
        throw Diagnostic(.notFound, "nothing plays in \(room.title)")
      }
      before = room.position ?? .zero
      guard let place = position.resolved(current: before, length: track.length) else {
        throw Diagnostic.usage("the length of \(track.quotedName) is not known: no per cent of it")
      }
      (self.track, self.place, at) = (track, place, now)
    }

    /// Whether a room shows that it has followed.
    ///
    /// It does where it is nearer to the place than to where it would be by itself. The end may have
    /// come meanwhile, and with it another track, or the same anew.
    func isFulfilled(by room: RoomPicture, at now: ContinuousClock.Instant) -> Bool {
      guard room.state?.track?.id == track.id else { return true }
      let elapsed = room.state?.paused == true ? .zero : now - at
      let end = track.length ?? .seconds(1e9)
      func distance(from start: Duration) -> Double {
        abs(((room.position ?? .zero) - min(start + elapsed, end)).inSeconds)
      }
      let (missed, moved) = (distance(from: place), distance(from: before))
      return missed <= moved || place + elapsed >= end && moved > 1
    }
  }
}
