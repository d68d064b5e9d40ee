import Glibc
import RoomProtocol

/// The state of the socket's thread: who is connected, and what moves between them and us.
final class ControlLoop {
  /// A client as the thread knows it.
  private final class Client {
    let descriptor: Int32
    let connection: ControlConnection
    var lines: LineSplitter
    /// Whether the client has said all it will.
    var isSilent = false
    /// Whether it hears nothing any more either: what it has asked for is done all the same.
    var isGone = false
    var movedAt = ContinuousClock.now

    init(descriptor: Int32, connection: ControlConnection, lineLimit: Int) {
      self.descriptor = descriptor
      self.connection = connection
      lines = LineSplitter(limit: lineLimit)
    }
  }

  private let listening: Int32
  private let waker: PollWaker
  private let greeting: Greeting
  private let limits: ControlServer.Limits
  private let announce: AsyncStream<ControlRequest>.Continuation
  private var clients: [Client] = []
  /// Until when nobody is let in, because the system has no descriptor to spare.
  private var restsUntil: ContinuousClock.Instant?

  init(
    descriptor: Int32, waker: PollWaker, greeting: Greeting, limits: ControlServer.Limits,
    announce: AsyncStream<ControlRequest>.Continuation
  ) {
    listening = descriptor
    self.waker = waker
    self.greeting = greeting
    self.limits = limits
    self.announce = announce
  }

  /// Waits for something to happen, and does what there is to do.
  func step() {
    var polled = [
      pollfd(fd: waker.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: restsUntil == nil ? listening : -1, events: Int16(POLLIN), revents: 0),
    ]
    for client in clients {
      let descriptor = client.isGone ? -1 : client.descriptor
      polled.append(pollfd(fd: descriptor, events: wishes(of: client), revents: 0))
    }
    poll(&polled, nfds_t(polled.count), timeout)
    if polled[0].revents != 0 { waker.drain() }
    for (client, state) in zip(clients, polled.dropFirst(2)) where state.revents != 0 {
      let isGone = state.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
      if state.revents & Int16(POLLIN) != 0 || isGone { receive(client) }
      if isGone { take(leaveOf: client) }
    }
    if polled[1].revents != 0 { acceptAll() }
    restsUntil = restsUntil.flatMap { $0 > .now ? $0 : nil }
    for client in clients { attend(client) }
    clients.removeAll { $0.connection.withOutbox { $0.isClosed } }
  }

  /// Lets everybody go, and ends the requests.
  func close() {
    for client in clients {
      send(to: client)
      drop(client)
    }
    Glibc.close(listening)
    announce.finish()
  }

  private func wishes(of client: Client) -> Int16 {
    client.connection.withOutbox { outbox in
      var wishes: Int32 = 0
      if !outbox.isAsking && !client.isSilent && !outbox.isEnding { wishes |= POLLIN }
      if !outbox.lines.isEmpty { wishes |= POLLOUT }
      return Int16(wishes)
    }
  }

  /// Until the next client has been patient for too long; for ever where none waits.
  private var timeout: Int32 {
    var next = restsUntil
    for client in clients
    where !client.isGone && client.connection.withOutbox({ !$0.lines.isEmpty }) {
      let end = client.movedAt + limits.stall
      next = next.map { min($0, end) } ?? end
    }
    guard let next else { return -1 }
    let (seconds, attoseconds) = (next - .now).components
    return Int32(max(0, min(60_000, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)))
  }

  // MARK: Coming and going

  private func acceptAll() {
    while true {
      let descriptor = accept(listening, nil, nil)
      guard descriptor >= 0 else {
        if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) { restsUntil = .now + .seconds(1) }
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      UnixSocket.makeNonBlocking(descriptor)
      admit(descriptor)
    }
  }

  private func admit(_ descriptor: Int32) {
    guard let peer = UnixSocket.peer(of: descriptor), Self.isWelcome(peer.user) else {
      return turnAway(descriptor, "forbidden", "this listener belongs to another user", exit: 77)
    }
    if clients.count >= limits.clients, !dismissIdler() {
      return turnAway(descriptor, "busy", "too many clients are connected", exit: 75)
    }
    let connection = ControlConnection(waker: waker)
    connection.withOutbox { $0.append(Array(greeting.line.utf8)) }
    clients.append(
      Client(descriptor: descriptor, connection: connection, lineLimit: limits.line))
  }

  /// Whether a user may give orders: ourselves, and root, who may do anything anyway.
  static func isWelcome(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }

  private func turnAway(_ descriptor: Int32, _ code: String, _ message: String, exit: Int) {
    let failure = ControlFailure(code, message, exit: exit)
    _ = UnixSocket.send(Array("{\"error\": \(failure.value.json)}\n".utf8)[...], to: descriptor)
    Glibc.close(descriptor)
  }

  /// Lets the client go that has asked for nothing for the longest time.
  private func dismissIdler() -> Bool {
    let idle = clients.filter { client in
      client.connection.withOutbox { !$0.isAsking && !$0.isSubscribed }
    }
    guard let oldest = idle.min(by: { $0.movedAt < $1.movedAt }) else { return false }
    drop(oldest)
    return true
  }

  /// Reads what a client has said before it went.
  private func take(leaveOf client: Client) {
    client.isGone = true
    while !client.isSilent && !client.lines.isOverrun { receive(client) }
  }

  private func drop(_ client: Client) {
    let wasClosed = client.connection.withOutbox { outbox in
      let wasClosed = outbox.isClosed
      outbox = ControlConnection.Outbox()
      outbox.isClosed = true
      return wasClosed
    }
    if !wasClosed { Glibc.close(client.descriptor) }
  }

  // MARK: Lines

  private func receive(_ client: Client) {
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = read(client.descriptor, &bytes, bytes.count)
    if count > 0 {
      client.lines.append(bytes[..<count])
      client.movedAt = .now
    } else if count == 0 || errno != EINTR && (errno != EAGAIN || client.isGone) {
      client.isSilent = true
    }
  }

  /// Hands on the client's next line, sends what waits, and ends what is over.
  private func attend(_ client: Client) {
    let connection = client.connection
    var wasGone: Bool
    repeat {
      wasGone = client.isGone
      handLines(of: client)
      if !client.isGone { send(to: client) }
      // A send that fails tells of its leave, and more lines may have come to light.
    } while client.isGone != wasGone
    if client.isGone {
      if connection.withOutbox({ !$0.isAsking }) { drop(client) }
      return
    }
    guard isOver(client) else { return }
    // An answer given meanwhile has made room for the client's next line.
    handLines(of: client)
    if isOver(client) { drop(client) }
  }

  private func isOver(_ client: Client) -> Bool {
    client.connection.withOutbox { outbox in
      guard outbox.lines.isEmpty else { return client.movedAt + limits.stall <= .now }
      // Half closed, a client may still be told things, or wait for its answer.
      return outbox.isEnding || client.isSilent && !outbox.isAsking && !outbox.isSubscribed
    }
  }

  private func handLines(of client: Client) {
    let connection = client.connection
    while connection.withOutbox({ !$0.isAsking && !$0.isEnding && !$0.isClosed }) {
      guard let line = client.lines.next() else { break }
      hand(line, of: connection)
    }
    if client.lines.isOverrun, connection.withOutbox({ !$0.isEnding }) {
      refuse(connection, ControlFailure("usage", "the line is too long", exit: 64))
      connection.withOutbox { $0.isEnding = true }
    }
  }

  private func hand(_ line: [UInt8], of connection: ControlConnection) {
    switch ControlRequest.read(line, from: connection) {
    case .success(let request):
      connection.withOutbox { $0.isAsking = true }
      announce.yield(request)
    case .failure(let failure): refuse(connection, failure)
    }
  }

  private func refuse(_ connection: ControlConnection, _ failure: ControlFailure) {
    connection.withOutbox { $0.append(Array("{\"error\": \(failure.value.json)}".utf8)) }
  }

  private func send(to client: Client) {
    while true {
      // Under the lock: a line that is on its way must not be taken for one that can be dropped.
      let count = client.connection.withOutbox { outbox -> Int? in
        guard let next = outbox.lines.first else { return 0 }
        let count = UnixSocket.send(next, to: client.descriptor)
        if let count, count > 0 { outbox.sent(count) }
        return count
      }
      guard let count else {
        take(leaveOf: client)
        return
      }
      if count == 0 { return }
      client.movedAt = .now
    }
  }
}
