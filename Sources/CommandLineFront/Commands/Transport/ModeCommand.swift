import RoomClient
import RoomProtocol

/// `mode`: shows or sets what the room does at the end of a track.
enum ModeCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let wanted = context.invocation.operands.first
    let names = PlaybackMode.known.map(\.name)
    if let wanted, wanted != "next", !names.contains(wanted) {
      throw Diagnostic.usage(
        "there is no mode \"\(Printable.escaped(wanted))\"",
        hint: "modes are \(names.joined(separator: ", ")); next steps through them")
    }
    let mode = wanted.map { JSONValue.Member("mode", .text($0)) }
    if let status = try await context.locally(
      "mode", mode.map { [$0] } ?? [], isLook: wanted == nil,
      say: { (wanted == nil ? "" : "the library is in ") + StatusText.field("mode", $0) })
    {
      return status
    }
    return try await context.withRoomServer { session in
      let wish = wanted == nil ? nil : "set the mode of"
      if let visit = try await context.visitThroughListener(
        of: session.server, wantsQueue: false, wish: wish)
      {
        return try await change(visit.picture, to: wanted, on: session, context) { what, mode in
          try await visit.confirm(orElse: what) { $0.state?.playbackMode == mode }
          return visit.picture
        }
      }
      let entrance = try await context.entrance(on: session)
      if let wish { try entrance.checkControl(wish) }
      let before = try await context.glance(at: entrance.channel, on: session)
      return try await change(before, to: wanted, on: session, context) { what, mode in
        try await context.reading(entrance.channel, on: session, orElse: what) {
          $0.state?.playbackMode == mode
        }
      }
    }
  }

  /// Shows the mode, or sets it and waits until the room shows it.
  private static func change(
    _ before: RoomPicture, to wanted: String?, on session: ServerSession,
    _ context: CommandContext,
    confirming confirm: (_ what: String, PlaybackMode) async throws -> RoomPicture
  ) async throws -> ExitStatus {
    let current = before.state?.playbackMode ?? .repeatAll
    guard let wanted else {
      context.present(Printable.escaped(current.name), json: before.json)
      return .done
    }
    let mode = wanted == "next" ? current.next : PlaybackMode(wanted)
    guard mode != current else {
      context.confirm("\(before.title) is in \(mode.name) already", json: before.json)
      return .done
    }
    let what = "cannot set the mode of \(before.title)"
    try await attempting(what) { () throws(RoomError) in
      try await session.api.setMode(mode, in: before.id)
    }
    let room = try await confirm(what, mode)
    context.confirm("\(room.title) is in \(mode.name) \(room.audience)", json: room.json)
    return .done
  }
}
