import Listening
import RoomClient
import RoomProtocol

/// The words typed while listening: the room's controls, and this listener's own.
struct ListenerPrompt {
  /// What a line led to.
  enum Answer: Equatable {
    case nothing
    case text(String)
    case quit
  }

  let session: ListeningSession

  /// Does what a line says.
  func answer(to line: String) async -> Answer {
    let words = line.split(separator: " ").map(String.init)
    guard let first = words.first else { return .nothing }
    switch first {
    case "quit", "exit", "q": return .quit
    case "help", "?": return .text(Self.help)
    case "volume": return await volume(words.dropFirst().first)
    case "people": return .text(await people())
    default: break
    }
    do {
      return try await room(words)
    } catch {
      let diagnostic = Diagnostic(describing: error)
      return .text(diagnostic.message + (diagnostic.hint.map { " (\($0))" } ?? ""))
    }
  }

  static let help = """
    play [ROW|WORDS], pause, toggle, seek POS, next, prev, jump ROW|WORDS, mode [MODE|next]
    for everyone in the room; queue, people; volume [N|+N|-N] for this box alone; quit
    """

  // MARK: This box

  private func volume(_ text: String?) async -> Answer {
    let before = await session.snapshot.volume
    guard let text else { return .text("volume \(before)") }
    let isRelative = text.hasPrefix("+") || text.hasPrefix("-")
    guard let value = Int(text) else { return .text("volume takes N, +N or -N, from 0 to 100") }
    await session.setVolume(isRelative ? before + value : value)
    return .text("volume \(await session.snapshot.volume)")
  }

  private func people() async -> String {
    let snapshot = await session.snapshot
    let names = snapshot.state?.listeners ?? []
    guard !names.isEmpty else { return "\(snapshot.state?.listenerCount ?? 0) listeners" }
    return names.map { name in
      Printable.escaped(name) + (name == snapshot.user?.username ? " (you)" : "")
    }.joined(separator: ", ")
  }

  // MARK: The room

  private func room(_ words: [String]) async throws -> Answer {
    let snapshot = await session.snapshot
    guard let state = snapshot.state else {
      throw Diagnostic(.unreachable, "not in a room yet")
    }
    let rest = words.dropFirst().joined(separator: " ")
    switch words[0] {
    case "pause": return try await wish(.pause)
    case "toggle": return try await wish(state.paused ? .unpause : .pause)
    case "play" where rest.isEmpty: return try await wish(.unpause)
    case "play":
      _ = try await wish(.jump(index: try row(rest, snapshot)))
      return try await wish(.unpause)
    case "jump": return try await wish(.jump(index: try row(rest, snapshot)))
    case "next": return try await wish(.jump(index: try neighbour(1, snapshot)))
    case "prev": return try await wish(.jump(index: try neighbour(-1, snapshot)))
    case "seek": return try await wish(.seek(timestamp: try place(rest, snapshot)))
    case "mode": return try await mode(rest, state)
    case "queue": return .text(queue(snapshot))
    default:
      throw Diagnostic.usage(
        "no such word: \(Printable.escaped(words[0]))", hint: "help lists the words")
    }
  }

  private func wish(_ action: ClientAction) async throws -> Answer {
    guard await session.wish(action) else { throw Diagnostic(.unreachable, "not connected") }
    return .nothing
  }

  private func mode(_ text: String, _ state: ChannelState) async throws -> Answer {
    guard !text.isEmpty else { return .text("mode \(state.playbackMode.name)") }
    let mode = text == "next" ? state.playbackMode.next : PlaybackMode(text)
    guard let channel = await session.channel else { return .nothing }
    try await session.api.setMode(mode, in: channel)
    return .text("mode \(mode.name)")
  }

  private func place(_ text: String, _ snapshot: ListeningSnapshot) throws(Diagnostic) -> Double {
    let length = snapshot.state?.track?.length
    guard let position = TimeText.position(text),
      let place = position.resolved(current: snapshot.expected ?? .zero, length: length)
    else { throw .usage("seek takes 90, 1:30, +15, -15 or 50%") }
    return place.inSeconds
  }

  private func neighbour(_ step: Int, _ snapshot: ListeningSnapshot) throws(Diagnostic) -> Int {
    let mode = snapshot.state?.playbackMode ?? .repeatAll
    return try rows(snapshot).neighbour(step, mode: mode) { .random(in: $0) }
  }

  private func row(_ text: String, _ snapshot: ListeningSnapshot) throws(Diagnostic) -> Int {
    try rows(snapshot).index(of: text)
  }

  private func rows(_ snapshot: ListeningSnapshot) throws(Diagnostic) -> QueueRows {
    guard let queue = snapshot.queue else {
      throw Diagnostic(.incomplete, "the queue is not known yet")
    }
    return QueueRows(tracks: queue, currentIndex: snapshot.state?.currentIndex ?? 0)
  }

  private func queue(_ snapshot: ListeningSnapshot) -> String {
    guard let queue = snapshot.queue else { return "the queue is not known yet" }
    guard !queue.isEmpty else { return "the queue is empty" }
    let current = snapshot.state?.currentIndex ?? 0
    let rows = queue.indices.filter { abs($0 - current) <= 5 }
    return rows.map { index in
      "\(index == current ? ">" : " ") \(index + 1). \(EventText.title(queue[index]))"
    }.joined(separator: "\n")
  }
}
