import RoomClient
import RoomProtocol
import RoomSync

/// A short stay on a room's socket: see the state and the queue, wish something, see it happen.
///
/// Everyone in the room sees us come and go, so it is made only where nothing else offers what is
/// needed (protocol.md 5), and as short as can be.
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
    case timeout(Int)
  }

  private let socket: RoomSocket
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
    self.socket = socket
    pump = Task {
      for await event in socket.events { announce.yield(.event(event)) }
      announce.finish()
    }
  }

  deinit {
    pump.cancel()
    socket.close()
  }

  /// The room now, as it is shown and reported.
  var picture: RoomPicture {
    let timeline = state.map { ChannelTimeline($0, receivedAt: stateAt) }
    return RoomPicture(
      id: channel.id, name: state?.channelName ?? channel.name, state: state,
      position: timeline?.position(at: .now), queueLength: queue?.count,
      // Our own socket counts as a listener as long as it is there.
      others: max(0, (state?.listenerCount ?? 1) - 1))
  }

  /// Waits for the first state.
  ///
  /// - Throws: `Diagnostic` where none comes, or the socket is refused or ends.
  func arrive() async throws {
    guard try await wait(.seconds(10), until: { $0.state != nil }) else {
      throw Diagnostic(.timeout, "no word from the room \(picture.title)")
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
    socket.send(action)
    try await confirm(orElse: what, until: isDone)
  }

  /// Waits until a state shows what was asked for, by whatever way.
  ///
  /// - Throws: `Diagnostic` of the code `unconfirmed` where none does in time.
  func confirm(orElse what: String, until isDone: (RoomVisit) -> Bool) async throws {
    guard try await wait(Self.patience, until: isDone) else {
      let why = complaint.map { Printable.escaped($0) } ?? "the room did not follow within 3 s"
      throw Diagnostic(
        .unconfirmed, what, why: why,
        hint: "guests may only listen; blastoise login signs in")
    }
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
      }
    }
    throw CancellationError()
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
        throw Diagnostic(
          .kicked, "the server has ended this session", why: Printable.escaped(reason))
      case .error(let message):
        complaint = message
        return false
      default: return false
      }
      stateAt = received.at
      return true
    }
  }

  private func isOurs(_ state: ChannelState) -> Bool {
    state.channelID == nil || state.channelID == channel.id
  }

  private func failure(of end: RoomSocketEnd) -> Diagnostic {
    let what = "cannot join \(picture.title)"
    if let status = end.refusal { return Diagnostic(httpStatus: status, what: what, text: nil) }
    if let error = end.error { return Diagnostic(error) }
    let why = end.reason.isEmpty ? "the server closed the socket" : Printable.escaped(end.reason)
    return Diagnostic(.unreachable, what, why: why)
  }
}
