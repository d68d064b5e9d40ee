import RoomClient
import RoomProtocol

/// `playlist add`: tracks into a playlist.
enum PlaylistAddCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.invocation.operands
    try TrackChoice.check(Array(operands.dropFirst()), context.invocation)
    return try await context.withRoomServer { session in
      var desk = try await PlaylistDesk(operands[0], on: session, context)
      let place = try context.invocation[.at].flatMap { text throws(Diagnostic) in
        try desk.rows().place(text)
      }
      let name = desk.playlist.quotedName
      guard
        let tracks = try await context.chosenTracks(
          operands.dropFirst(), on: session, deed: { "add \($0) to \(name)" })
      else { return .done }
      let index = try await desk.add(tracks.map(\.id), at: place)
      context.confirm(
        "added \(titles(tracks)) to \(desk.playlist.quotedName) at \(rowRange(index, tracks.count))",
        json: desk.playlist.json([
          "added": .list(tracks.map(JSONValue.init(track:))), "row": JSONValue(index + 1),
        ]))
      return .done
    }
  }
}

/// `playlist remove`: rows out of a playlist.
enum PlaylistRemoveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.invocation.operands
    return try await context.withRoomServer { session in
      var desk = try await PlaylistDesk(operands[0], on: session, context)
      let rows = try await desk.titledRows(context)
      let indices = try rows.indices(of: Array(operands.dropFirst()))
      let removed = indices.map { rows.tracks[$0] }
      let gone = Set(indices)
      let left = desk.playlist.trackIDs.enumerated().filter { !gone.contains($0.offset) }
      try await desk.edit(
        // Highest first: read one by one or as a set, the result is the same (protocol.md 4).
        [.remove(indices.reversed())], expecting: left.map(\.element),
        what: "cannot remove from \(desk.playlist.quotedName)")
      context.confirm(
        "removed \(titles(removed)) from \(desk.playlist.quotedName)",
        json: desk.playlist.json(["removed": .list(removed.map(JSONValue.init(track:)))]))
      return .done
    }
  }
}

/// `playlist move`: rows to another place in a playlist.
enum PlaylistMoveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.invocation.operands
    guard let target = context.invocation[.to] else {
      throw Diagnostic.usage(
        "playlist move needs --to ROW", hint: "blastoise playlist move Evening 5 --to 1")
    }
    return try await context.withRoomServer { session in
      var desk = try await PlaylistDesk(operands[0], on: session, context)
      let rows = try await desk.titledRows(context)
      let indices = try rows.indices(of: Array(operands.dropFirst()))
      let place = try rows.target(target, for: indices.count)
      let moved = indices.map { rows.tracks[$0] }
      let move = QueueMove(indices, to: place, of: rows.tracks.count)
      if !move.edits.isEmpty {
        try await desk.edit(
          move.edits, expecting: move.order.map { rows.tracks[$0].id },
          what: "cannot move in \(desk.playlist.quotedName)")
      }
      context.confirm(
        move.edits.isEmpty
          ? "\(titles(moved)) is at row \(place + 1) of \(desk.playlist.quotedName) already"
          : "moved \(titles(moved)) to row \(place + 1) of \(desk.playlist.quotedName)",
        json: desk.playlist.json([
          "moved": .list(moved.map(JSONValue.init(track:))), "row": JSONValue(place + 1),
        ]))
      return .done
    }
  }
}

/// `playlist set`: other tracks in the place of all there are.
enum PlaylistSetCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let operands = context.invocation.operands
    try TrackChoice.check(Array(operands.dropFirst()), context.invocation)
    return try await context.withRoomServer { session in
      var desk = try await PlaylistDesk(operands[0], on: session, context)
      let name = desk.playlist.quotedName
      guard
        let tracks = try await context.chosenTracks(
          operands.dropFirst(), on: session, deed: { "let \(name) hold \($0)" })
      else { return .done }
      let (ids, before) = (tracks.map(\.id), desk.playlist.trackIDs)
      let old = counted(before.count, "track")
      if ids != before {
        // As for the queue: whoever pipes tracks in has said what is to be there.
        if !before.isEmpty, context.console.canAsk {
          guard try await context.agrees(to: "replace the \(old) of \(name)") else { return .done }
        }
        try await desk.edit([.set(ids)], expecting: ids, what: "cannot set the tracks of \(name)")
      }
      context.confirm(
        ids == before
          ? "\(name) is that already" : "\(name) holds \(titles(tracks)) in the place of \(old)",
        json: desk.playlist.json(["set": .list(tracks.map(JSONValue.init(track:)))]))
      return .done
    }
  }
}
