import RoomProtocol

/// `pause`: stops the room, for everyone in it.
enum PauseCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    if let status = try await context.locally("pause", say: LocalText.state) { return status }
    return try await context.withControl(wantsQueue: false, wish: "pause") { _, visit in
      try await pause(visit, context)
    }
  }

  /// Pauses the room that is visited, where it plays.
  static func pause(_ visit: RoomVisit, _ context: CommandContext) async throws -> ExitStatus {
    guard visit.state?.paused == false else {
      context.confirm("\(visit.picture.title) is paused already", json: visit.picture.json)
      return .done
    }
    try await visit.wish(.pause, orElse: "cannot pause \(visit.picture.title)") {
      $0.state?.paused == true
    }
    let room = visit.picture
    context.confirm("paused \(room.title) \(room.audience)", json: room.json)
    return .done
  }
}

/// `play`: lets the room play, for everyone in it, from a row where one is named.
enum PlayCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let words = context.invocation.operands
    let row = words.isEmpty ? nil : words.joined(separator: " ")
    if let status = try await context.locally(
      "play", row.map { [.init("row", .text($0))] } ?? [], say: LocalText.playing)
    {
      return status
    }
    return try await context.withControl(wantsQueue: row != nil, wish: "play") { session, visit in
      if let row {
        try await JumpCommand.jump(in: visit, on: session) { queue throws(Diagnostic) in
          try queue.index(of: row)
        }
      } else if visit.state?.paused == false {
        context.confirm("\(visit.picture.title) plays already", json: visit.picture.json)
        return .done
      }
      return try await play(visit, context)
    }
  }

  /// Lets the room that is visited play, where it stands still, and says what plays.
  static func play(_ visit: RoomVisit, _ context: CommandContext) async throws -> ExitStatus {
    guard visit.state?.track != nil else {
      throw Diagnostic(.notFound, "\(visit.picture.title) has nothing to play")
    }
    if visit.state?.paused == true {
      try await visit.wish(.unpause, orElse: "cannot play \(visit.picture.title)") {
        $0.state?.paused == false
      }
    }
    let room = visit.picture
    let track = room.state?.track.map { ": \($0.quotedName)" } ?? ""
    context.confirm("playing \(room.title) \(room.audience)\(track)", json: room.json)
    return .done
  }
}

/// `toggle`: pauses a room that plays, and lets one play that is paused.
enum ToggleCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    if let status = try await context.locally("toggle", say: LocalText.state) { return status }
    return try await context.withControl(wantsQueue: false, wish: "play or pause") { _, visit in
      let pauses = visit.state?.paused == false
      return try await pauses
        ? PauseCommand.pause(visit, context) : PlayCommand.play(visit, context)
    }
  }
}
