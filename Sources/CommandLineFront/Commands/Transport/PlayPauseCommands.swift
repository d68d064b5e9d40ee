import RoomProtocol

/// `pause`: stops the room, for everyone in it.
enum PauseCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try await context.withVisit(wantsQueue: false) { _, visit in
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
}

/// `play`: lets the room play, for everyone in it, from a row where one is named.
enum PlayCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let row = context.invocation.operands.joined(separator: " ")
    return try await context.withVisit(wantsQueue: !row.isEmpty) { session, visit in
      if !row.isEmpty {
        try await JumpCommand.jump(in: visit, on: session) { queue throws(Diagnostic) in
          try queue.index(of: row)
        }
      } else if visit.state?.paused == false {
        context.confirm("\(visit.picture.title) plays already", json: visit.picture.json)
        return .done
      }
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
}
