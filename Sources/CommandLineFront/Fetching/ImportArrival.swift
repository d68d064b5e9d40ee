import RoomClient
import RoomProtocol

/// What becomes of imports when they have ended: their tracks are found, queued, kept, and told.
///
/// What is wished with them is looked at before anything is asked for, so that a slip in a name does
/// not show when all is here.
struct ImportArrival {
  private let wish: ImportWish
  private let session: ServerSession
  private let context: CommandContext
  private let earlier: Set<TrackID>
  private var items: [ImportWatch.Item] = []
  private var tracks: [Int: Track] = [:]

  /// Notes what the library has before anything is asked for.
  ///
  /// - Throws: `Diagnostic` where room or playlist are not there, or several; `RoomError`.
  init(_ wish: ImportWish, on session: ServerSession, _ context: CommandContext) async throws {
    self.wish = wish
    self.session = session
    self.context = context
    earlier =
      wish.waits
      ? Set(try await context.library(of: session.server, on: session).current().map(\.id)) : []
    if wish.queues, context.invocation[.channel] != nil {
      _ = try await context.room(on: session)
    }
    if let name = wish.playlist { _ = try await listed(name) }
  }

  /// Takes the ends of the imports, and looks for their tracks in the library.
  mutating func settle(_ ended: [ImportWatch.Item]) async throws {
    items = ended
    guard ended.contains(where: { $0.end == .done || $0.end == .vanished }) else { return }
    let library = try await context.library(of: session.server, on: session).current()
    tracks = Arrivals(earlier: earlier, now: library).found(ended)
    for index in items.indices where items[index].end == .vanished && tracks[index] != nil {
      items[index].end = .done
    }
  }

  /// Tells how the imports have ended, does what is wished with what came, and how the program ends.
  func finish(_ order: ImportOrder) async throws -> ExitStatus {
    // Where all of it is one import, its failure is the command's.
    if items.count == 1, let failure = failure(of: items[0]) { throw failure }
    for (index, item) in items.enumerated() { tell(item, tracks[index]) }
    let arrived = items.indices.compactMap { tracks[$0] }
    var done: [JSONValue.Member] = []
    // Whatever becomes of the rest, programs read what has come and what was done.
    defer {
      if context.isJSON {
        let results = items.enumerated().map { $1.json(tracks[$0]) }
        context.console.print(order.json(results, done))
      }
    }
    if wish.actsOnArrival, !arrived.isEmpty { try await act(on: arrived, &done) }
    return status
  }

  private func tell(_ item: ImportWatch.Item, _ track: Track?) {
    guard !context.isJSON else { return }
    if let failure = failure(of: item) {
      context.console.complain("blastoise: \(failure.message)")
      return
    }
    let name = "\"\(Printable.escaped(item.title))\""
    if !context.invocation.has(.quiet) {
      let length = track.map { " (\(TimeText.text($0.length)))" } ?? ""
      context.console.print("imported \(track?.quotedName ?? name)\(length)")
    }
    if track == nil, wish.actsOnArrival {
      context.console.complain("blastoise: cannot tell which track \(name) became")
    }
  }

  /// Why an import brought nothing, nil where it did.
  private func failure(of item: ImportWatch.Item) -> Diagnostic? {
    let name = "\"\(Printable.escaped(item.title))\""
    switch item.end {
    case .done: return nil
    case .failed(let why):
      return Diagnostic(
        .serverError, "cannot import \(name)", why: why.map { Printable.escaped($0) })
    case .cancelled: return Diagnostic(.serverError, "the import of \(name) was cancelled")
    case .vanished, nil:
      return Diagnostic(
        .incomplete, "the server no longer lists the import of \(name)",
        why: "it is not in the library")
    }
  }

  /// The status of the worst that happened.
  private var status: ExitStatus {
    let ends = items.map(\.end)
    let isFailed = ends.contains { end in
      if case .failed = end { true } else { end == .cancelled }
    }
    if isFailed { return .unavailable }
    let isOpen = items.indices.contains { index in
      items[index].end != .done || wish.actsOnArrival && tracks[index] == nil
    }
    return isOpen ? .tryAgain : .done
  }

  // MARK: - What is done with the tracks

  private func act(on arrived: [Track], _ done: inout [JSONValue.Member]) async throws {
    if wish.queues {
      try await QueueEditing.run(context, on: session, "add to the queue of") { edit in
        let place = isAtEnd(of: edit, arrived)
        let index = if let place { place } else { try await edit.add(arrived) }
        let rows = rowRange(index, arrived.count)
        if !context.isJSON {
          let what =
            place == nil
            ? "added \(titles(arrived)) to \(edit.room) at \(rows)"
            : "the server has put \(titles(arrived)) into \(edit.room) at \(rows)"
          context.confirm("\(what) \(edit.audience)", json: .null)
        }
        done += [
          .init(key: "channel", value: .text(edit.visit.picture.name)),
          .init(key: "row", value: JSONValue(index + 1)),
        ]
      }
    }
    if let name = wish.playlist {
      var desk = try await playlist(name)
      try await desk.add(arrived.map(\.id), at: nil)
      if !context.isJSON {
        context.confirm(
          "added \(titles(arrived)) to the playlist \(desk.playlist.quotedName)", json: .null)
      }
      done.append(.init(key: "playlist", value: desk.playlist.json()))
    }
  }

  /// Where new tracks stand at the end of the queue by themselves, as in a room that holds the whole
  /// library; nil where they do not, or belong elsewhere.
  private func isAtEnd(of edit: QueueEditing, _ arrived: [Track]) -> Int? {
    let ids = arrived.map(\.id)
    guard !wish.isNext, earlier.isDisjoint(with: ids),
      edit.ids.suffix(ids.count).sorted() == ids.sorted()
    else { return nil }
    return edit.ids.count - ids.count
  }

  /// The playlist of that name; a new one where there is none.
  private func playlist(_ name: String) async throws -> PlaylistDesk {
    let (shelf, listed) = try await listed(name)
    guard let listed else {
      return try await PlaylistCreateCommand.create(name, nil, beside: shelf, on: session, context)
    }
    return try await PlaylistDesk(listed, on: session, context)
  }

  /// All playlists, and that of a name; nil where there is none.
  private func listed(_ name: String) async throws -> (PlaylistShelf, Playlist?) {
    let shelf = try await context.shelf(on: session)
    do {
      return (shelf, try shelf.playlist(name))
    } catch let error where error.code == .notFound {
      return (shelf, nil)
    }
  }
}
