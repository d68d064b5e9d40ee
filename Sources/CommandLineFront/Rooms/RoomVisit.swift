import Control
import RoomClient
import RoomProtocol
import RoomSync

/// A short stay in a room: see the state and the queue, wish something, see it happen.
///
/// Where a listener runs in the room it is made through the listener's socket, and nobody sees it.
/// Else it is a socket of its own: everyone in the room sees us come and go, so it is made only where
/// nothing else offers what is needed (protocol.md 5), and as short as can be.
///
/// Threading: one task.
final class RoomVisit {
  /// How long a wish may take to show in the room's state.
  static let patience = Duration.seconds(3)

  /// The room's entry in the list of channels.
  let channel: ChannelInfo
  /// The room's last state; nil before the first.
  private(set) var state: ChannelState?
  /// The room's queue; nil while it is not known.
  private(set) var queue: [Track]?
  /// What the server complained of last.
  private(set) var complaint: String?

  private enum Item: Sendable {
    case event(RoomSocketEvent)
    case line(RoomLine)
    case timeout(Int)
  }

  /// What the room is reached by.
  private enum Way {
    case socket(RoomSocket)
    case listener(ControlClient)
  }

  private let way: Way
  private let wantsQueue: Bool
  private let items: AsyncStream<Item>
  private let announce: AsyncStream<Item>.Continuation
  private let pump: Task<Void, Never>
  private var stateAt = ContinuousClock.now
  private var timeouts = 0

  /// Joins a room.
  ///
  /// - Parameters:
  ///   - channel: the room.
  ///   - session: the session to come with.
  ///   - wantsQueue: whether the queue is worth decoding.
  init(_ channel: ChannelInfo, in session: ServerSession, wantsQueue: Bool) {
    self.channel = channel
    self.wantsQueue = wantsQueue
    (items, announce) = AsyncStream.makeStream()
    let (socket, announce) = (session.join(channel.id), announce)
    way = .socket(socket)
    pump = Task {
      for await event in socket.events { announce.yield(.event(event)) }
      announce.finish()
    }
  }

  /// Follows the room through a listener that is in it, and has said so.
  ///
  /// - Parameters:
  ///   - channel: the room.
  ///   - listener: the connection, whose lines are the room's from now on.
  ///   - wantsQueue: whether the queue was asked for.
  init(_ channel: ChannelInfo, through listener: ControlClient, wantsQueue: Bool) {
    self.channel = channel
    self.wantsQueue = wantsQueue
    (items, announce) = AsyncStream.makeStream()
    way = .listener(listener)
    let announce = announce
    pump = Task {
      for await line in listener.lines {
        if let line = RoomLine(line) { announce.yield(.line(line)) }
      }
      announce.finish()
    }
  }

  deinit {
    pump.cancel()
    if case .socket(let socket) = way { socket.close() }
  }

  /// Whether a listener carries our wishes to the room.
  var isThroughListener: Bool { if case .listener = way { true } else { false } }

  /// The room now, as it is shown and reported.
  var picture: RoomPicture {
    let timeline = state.map { ChannelTimeline($0, receivedAt: stateAt) }
    return RoomPicture(
      id: channel.id, name: state?.name(of: channel) ?? channel.name, state: state,
      position: timeline?.position(at: .now), queueLength: queue?.count,
      // A socket of our own counts as a listener as long as it is there.
      others: max(0, (state?.listenerCount ?? 1) - (isThroughListener ? 0 : 1)))
  }

  /// Waits for the first state.
  ///
  /// - Parameter patience: how long it may take.
  /// - Throws: `Diagnostic` where none comes, or the socket is refused or ends.
  func arrive(within patience: Duration = .seconds(10)) async throws {
    guard try await wait(patience, until: { $0.state != nil }) else {
      throw Diagnostic(
        .timeout, "no word from the room \(picture.title)", hint: "--timeout gives it longer")
    }
  }

  /// Asks the room for something and waits until a state shows it.
  ///
  /// - Parameters:
  ///   - action: what to ask for.
  ///   - what: what could not be done otherwise, in words: `cannot pause Lobby`.
  ///   - isDone: whether the room as it is now shows it; asked with each state that comes.
  /// - Throws: `Diagnostic` of the code `unconfirmed` where no state shows it in time.
  func wish(
    _ action: ClientAction, orElse what: String, until isDone: (RoomVisit) -> Bool
  ) async throws {
    switch way {
    case .socket(let socket): socket.send(action)
    case .listener(let listener): listener.send(action.request)
    }
    try await confirm(orElse: what, until: isDone)
  }

  /// Waits until a state shows what was asked for, by whatever way.
  ///
  /// - Throws: `Diagnostic` of the code `unconfirmed` where none does in time.
  func confirm(orElse what: String, until isDone: (RoomVisit) -> Bool) async throws {
    guard try await wait(Self.patience, until: isDone) else {
      throw Diagnostic.ignored(what, complaint: complaint)
    }
  }

  /// Takes what has arrived meanwhile, without waiting for more.
  ///
  /// - Throws: `Diagnostic` where the visit has ended; `CancellationError`.
  func catchUp() async throws { _ = try await wait(.zero) { _ in false } }

  /// Waits for the next news of the room, for as long as it takes.
  ///
  /// - Returns: true.
  /// - Throws: `Diagnostic` where the visit has ended, also of the code `conflict` where the listener
  ///   has gone to another room; `CancellationError`.
  func change() async throws -> Bool {
    for await item in items {
      switch item {
      case .timeout: continue
      case .event(let event): if try take(event) { return true }
      case .line(let line):
        if case .state(let state, _) = line, !isOurs(state) {
          throw Diagnostic(.conflict, "the listener has left \(picture.title)")
        }
        if try take(line) { return true }
      }
    }
    if isThroughListener && !Task.isCancelled { throw ControlError.closed(nil) }
    throw CancellationError()
  }

  /// Takes what comes until the condition holds after a new state; false when that takes too long.
  private func wait(_ patience: Duration, until isDone: (RoomVisit) -> Bool) async throws -> Bool {
    timeouts += 1
    let (number, announce) = (timeouts, announce)
    let timer = Task {
      try await Task.sleep(for: patience)
      announce.yield(.timeout(number))
    }
    defer { timer.cancel() }
    for await item in items {
      switch item {
      case .timeout(number): return false
      case .timeout: continue
      case .event(let event): if try take(event), isDone(self) { return true }
      case .line(let line): if try take(line), isDone(self) { return true }
      }
    }
    if isThroughListener && !Task.isCancelled { throw ControlError.closed(nil) }
    throw CancellationError()
  }

  /// Takes a listener's line; true for news of the room.
  private func take(_ line: RoomLine) throws -> Bool {
    switch line {
    case .state(let state, let at):
      // The listener may have moved on meanwhile.
      guard isOurs(state) else { return false }
      self.state = state
      stateAt = at
    case .queue(let text):
      guard let rows = try? text.decode() else { return false }
      queue = rows.elements
    case .kick(let reason): throw ended(by: reason)
    case .complaint(let message):
      complaint = message
      return false
    case .gone:
      throw Diagnostic(.unreachable, "the listener has lost its server")
    case .failure(let failure): throw Diagnostic(failure)
    }
    return true
  }

  /// Takes an event; true for a new state.
  private func take(_ event: RoomSocketEvent) throws -> Bool {
    switch event {
    case .opened: return false
    case .ended(let end): throw failure(of: end)
    case .message(let received):
      switch received.message {
      case .state(let received) where isOurs(received.state):
        state = received.state
        if wantsQueue, let text = received.queueText, let rows = try? text.decode() {
          queue = rows.elements
        }
      case .kick(let reason):
        throw ended(by: reason)
      case .error(let message):
        complaint = message
        return false
      default: return false
      }
      stateAt = received.at
      return true
    }
  }

  private func ended(by reason: String) -> Diagnostic {
    Diagnostic(.kicked, "the server has ended this session", why: Printable.escaped(reason))
  }

  private func isOurs(_ state: ChannelState) -> Bool {
    state.channelID == nil || state.channelID == channel.id
  }

  private func failure(of end: RoomSocketEnd) -> Diagnostic {
    let what = state == nil ? "cannot join \(picture.title)" : "the room \(picture.title) is gone"
    if let status = end.refusal { return Diagnostic(httpStatus: status, what: what, text: nil) }
    if let error = end.error { return Diagnostic(error) }
    let why = end.reason.isEmpty ? "the server closed the socket" : Printable.escaped(end.reason)
    return Diagnostic(.unreachable, what, why: why)
  }
}

extension Diagnostic {
  /// A wish that no state of the room has shown in time.
  static func ignored(_ what: String, complaint: String? = nil) -> Diagnostic {
    Diagnostic(
      .unconfirmed, what,
      why: complaint.map { Printable.escaped($0) } ?? "the room did not follow within 3 s",
      hint: "blastoise whoami shows what you may do")
  }
}
