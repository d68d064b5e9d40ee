import RoomClient
import RoomProtocol

/// `jump`, `next`, `prev`: to another row, for everyone in the room.
enum JumpCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let row = context.invocation.operands.joined(separator: " ")
    if let status = try await context.locally(
      "jump", [.init("row", .text(row))], say: LocalText.row)
    {
      return status
    }
    return try await run(context) { queue, _ throws(Diagnostic) in try queue.index(of: row) }
  }

  /// To the neighbouring row; in shuffle to any other.
  static func run(_ context: CommandContext, step: Int) async throws -> ExitStatus {
    let action = step > 0 ? "next" : "prev"
    if let status = try await context.locally(action, say: LocalText.row) { return status }
    return try await run(context) { queue, mode throws(Diagnostic) in
      try queue.neighbour(step, mode: mode) { .random(in: $0) }
    }
  }

  private static func run(
    _ context: CommandContext,
    choose: (QueueRows, PlaybackMode) throws(Diagnostic) -> Int
  ) async throws -> ExitStatus {
    try await context.withControl(wantsQueue: true, wish: "jump in") { session, visit in
      let mode = visit.state?.playbackMode ?? .repeatAll
      try await jump(in: visit, on: session) { queue throws(Diagnostic) in
        try choose(queue, mode)
      }
      let room = visit.picture
      let track = room.state?.track.map { ": \($0.quotedName)" } ?? ""
      let row = (room.state?.currentIndex ?? 0) + 1
      context.confirm("\(room.title) is at row \(row) \(room.audience)\(track)", json: room.json)
      return .done
    }
  }

  /// Jumps to the row that is chosen from the queue, and waits until the room is there; without a
  /// session on the listener's socket.
  static func jump(
    in visit: RoomVisit, on session: ServerSession?,
    choose: (QueueRows) throws(Diagnostic) -> Int
  ) async throws {
    let index = try choose(try visit.rows)
    let what = "cannot jump in \(visit.picture.title)"
    guard let session else {
      return try await visit.wish(.jump(index: index), orElse: what) {
        $0.state?.currentIndex == index
      }
    }
    try await attempting(what) { () throws(RoomError) in
      try await session.api.jump(to: index, in: visit.channel.id)
    }
    try await visit.confirm(orElse: what) { $0.state?.currentIndex == index }
  }
}

extension RoomVisit {
  /// The queue for those who name rows.
  ///
  /// - Throws: `Diagnostic` where the server has not told it.
  var rows: QueueRows {
    get throws(Diagnostic) {
      guard let queue else {
        throw Diagnostic(.incomplete, "the queue of \(picture.title) is not known")
      }
      return QueueRows(tracks: queue, currentIndex: state?.currentIndex ?? 0)
    }
  }
}
