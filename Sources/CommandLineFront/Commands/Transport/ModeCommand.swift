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
    return try await context.withServer { session in
      let entrance = try await context.entrance(on: session)
      let channel = entrance.channel
      if wanted != nil { try entrance.checkControl("set the mode of") }
      let before = try await context.glance(at: channel, on: session)
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
        try await session.api.setMode(mode, in: channel.id)
      }
      let room = try await context.reading(channel, on: session, orElse: what) {
        $0.state?.playbackMode == mode
      }
      context.confirm("\(room.title) is in \(mode.name) \(room.audience)", json: room.json)
      return .done
    }
  }
}
