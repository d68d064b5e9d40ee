import Control
import Glibc
import Listening
import RoomClient
import RoomProtocol
import Synchronization

/// Serves a running listener's control socket (docs/control.md): does what verbs ask for, and tells
/// those who want to know.
///
/// Threading: from anywhere. Nothing waits for a client.
final class ListenerDesk: Sendable {
  let session: ListeningSession
  let server: ControlServer
  /// Ends the listener.
  let stop: @Sendable () -> Void

  private let hearers = Mutex(Hearers())
  /// Wakes `tellStatus`.
  private let news = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Somebody who follows the room through us.
  private struct Follower {
    var connection: ControlConnection
    /// The queue that was sent last, nil where none is wanted.
    var queueNumber: Int?
    var stateAt: ContinuousClock.Instant
  }

  private struct Hearers {
    var events: [ControlConnection] = []
    /// Those who are told events as people read them.
    var readers: [ControlConnection] = []
    /// What people were told last, and whether the room stood still then: it is told once.
    var lastLine: String?
    var wasPaused: Bool?
    /// What was said of the cache.
    var keeping = KeepingNews()
    var watchers: [ControlConnection] = []
    var followers: [Follower] = []
  }

  init(session: ListeningSession, server: ControlServer, stop: @escaping @Sendable () -> Void) {
    self.session = session
    self.server = server
    self.stop = stop
  }

  /// Serves until the socket is closed.
  func serve() async {
    let telling = Task { await tellStatus() }
    for await request in server.requests { Task { await answer(request) } }
    telling.cancel()
  }

  /// The members of the greeting.
  static func greeting(_ instance: String, _ server: ServerAddress) -> JSONValue {
    .object([
      .init("protocol", .integer(1)), .init("version", .text(Front.version)),
      .init("pid", .integer(Int64(getpid()))), .init("instance", .text(instance)),
      .init("server", .text(server.description)),
    ])
  }

  /// Passes an event on.
  func tell(_ event: ListeningEvent) {
    if case .serverMoved(let address) = event {
      server.greet(with: Self.greeting(server.place.instance, address))
    }
    let (events, readers, wantsNews, followers) = hearers.withLock { hearers in
      hearers.events.removeAll { !$0.isOpen }
      hearers.readers.removeAll { !$0.isOpen }
      hearers.watchers.removeAll { !$0.isOpen }
      hearers.followers.removeAll { !$0.connection.isOpen }
      let wantsNews = !hearers.watchers.isEmpty || !hearers.followers.isEmpty
      return (hearers.events, hearers.readers, wantsNews, hearers.followers)
    }
    if !events.isEmpty, let object = EventJSON.now().object(event) {
      let line = object.description
      for hearer in events { hearer.send(line) }
    }
    if let text = news(in: event), !readers.isEmpty {
      let line = JSONValue.object([.init(key: "line", value: .text(text))]).description
      for reader in readers { reader.send(line) }
    }
    if let line = Self.word(event) {
      for follower in followers { follower.connection.send(line) }
    }
    if wantsNews { news.continuation.yield() }
  }

  /// The event's line for people; nil where it tells nothing new.
  private func news(in event: ListeningEvent) -> String? {
    let line = EventText.line(event, isVerbose: false)
    return hearers.withLock { hearers in
      if case .state(let state, _) = event {
        let wasPaused = hearers.wasPaused
        hearers.wasPaused = state.paused
        guard let wasPaused, wasPaused != state.paused else { return nil }
      }
      if case .download(let event) = event, !hearers.keeping.isNews(event) { return nil }
      guard let line, line != hearers.lastLine else { return nil }
      hearers.lastLine = line
      return line
    }
  }

  /// What a follower is told beside states and queues.
  private static func word(_ event: ListeningEvent) -> String? {
    let object: JSONValue
    switch event {
    case .kick(let reason): object = ["room": "kick", "type": "kick", "reason": .text(reason)]
    case .serverError(let message):
      object = ["room": "error", "type": "error", "message": .text(message)]
    case .disconnected, .source(.library): object = ["room": "gone", "type": "gone"]
    default: return nil
    }
    return object.description
  }

  // MARK: Subscriptions

  /// Tells a connection each event from now on, as an object or as a line for people.
  func subscribe(_ connection: ControlConnection, asText: Bool) {
    connection.subscribe()
    hearers.withLock { hearers in
      if asText { hearers.readers.append(connection) } else { hearers.events.append(connection) }
    }
  }

  /// Tells a connection the status, now and at each change.
  func watch(_ connection: ControlConnection) {
    connection.subscribe()
    hearers.withLock { $0.watchers.append(connection) }
    news.continuation.yield()
  }

  /// Lets a connection follow the room: what is known goes first.
  func follow(_ connection: ControlConnection, _ room: HeardRoom, wantsQueue: Bool) {
    connection.subscribe()
    if wantsQueue, let line = Self.queueLine(room) { connection.send(line) }
    connection.send(Self.stateLine(room))
    hearers.withLock {
      $0.followers.append(
        Follower(
          connection: connection, queueNumber: wantsQueue ? room.queueNumber : nil,
          stateAt: room.arrivedAt))
    }
    // A state may have come while this one was written.
    news.continuation.yield()
  }

  private func tellStatus() async {
    for await _ in news.stream {
      let watchers = hearers.withLock { $0.watchers }
      if !watchers.isEmpty {
        let line = "{\"status\": \(await status.description)}"
        for watcher in watchers { watcher.send(line) }
      }
      if hearers.withLock({ !$0.followers.isEmpty }), let room = await session.heardRoom {
        tellFollowers(room)
      }
    }
  }

  private func tellFollowers(_ room: HeardRoom) {
    let stale = hearers.withLock { hearers in
      var stale: [(ControlConnection, queue: Bool, state: Bool)] = []
      for (index, follower) in hearers.followers.enumerated() {
        let wantsQueue = follower.queueNumber.map { $0 != room.queueNumber } ?? false
        let wantsState = follower.stateAt != room.arrivedAt
        if follower.queueNumber != nil { hearers.followers[index].queueNumber = room.queueNumber }
        hearers.followers[index].stateAt = room.arrivedAt
        if wantsQueue || wantsState { stale.append((follower.connection, wantsQueue, wantsState)) }
      }
      return stale
    }
    guard !stale.isEmpty else { return }
    let state = Self.stateLine(room)
    let queue = stale.contains { $0.queue } ? Self.queueLine(room) : nil
    for (connection, wantsQueue, wantsState) in stale {
      if wantsQueue, let queue { connection.send(queue) }
      if wantsState { connection.send(state) }
    }
  }

  // MARK: Lines

  /// The status now.
  var status: JSONValue {
    get async { StatusJSON.listening(await session.snapshot, instance: server.place.instance) }
  }

  /// The last state as the server sends it, and how old it is.
  private static func stateLine(_ room: HeardRoom) -> [UInt8] {
    let age = JSONValue.number((ContinuousClock.now - room.arrivedAt).inSeconds).description
    let head = "{\"room\": \"state\", \"age\": \(age), "
    // A state has no number that can't be written.
    let frame = (try? WireJSON.encode(room.state)) ?? Array("{}".utf8)
    return Array(head.utf8) + frame.dropFirst()
  }

  /// The last queue, as the server sent it; nil where none came.
  private static func queueLine(_ room: HeardRoom) -> [UInt8]? {
    guard let queue = room.queue else { return nil }
    let id = JSONValue.text(room.channel.id.rawValue).description
    let head = "{\"room\": \"queue\", \"channelId\": \(id), \"queue\": "
    // A line feed in JSON is a blank between its parts.
    let rows = queue.bytes.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    return Array(head.utf8) + rows + Array("}".utf8)
  }
}
