import Glibc
import Platform
package import RoomProtocol
import Synchronization

/// A verb's end of the control socket.
///
/// ```swift
/// let client = try await ControlClient.connect(to: "default", in: folders)
/// let answer = try await client.ask(JSONValue(verb: "status"))
/// ```
///
/// Threading: from anywhere, also from the listener's own process; nothing blocks. The lines have
/// one reader at a time: `ask`, `next`, or whoever goes over `lines`.
package final class ControlClient: Sendable {
  /// The instance it is connected to.
  package let place: ControlPlace
  /// The members of the listener's greeting.
  package let hello: JSONValue
  /// All lines after the greeting, without their ends; finishes when the listener goes away.
  package let lines: AsyncStream<[UInt8]>

  private let socket: ClientSocket
  private let patience: Duration

  /// How long a living listener may take to answer.
  package static let patience = Duration.seconds(3)

  private init(
    place: ControlPlace, hello: JSONValue, lines: AsyncStream<[UInt8]>, socket: ClientSocket,
    patience: Duration
  ) {
    self.place = place
    self.hello = hello
    self.lines = lines
    self.socket = socket
    self.patience = patience
  }

  deinit { socket.hangUp() }

  /// Connects to the listener of a name.
  ///
  /// - Parameters:
  ///   - instance: its name.
  ///   - folders: where to look.
  /// - Returns: the connection, greeted already.
  /// - Throws: `ControlError.noListener` where there is none; `silent` where it does not answer.
  package static func connect(
    to instance: String, in folders: ControlFolders
  ) async throws(ControlError) -> ControlClient {
    for place in try folders.places(of: instance) {
      if let client = try await connect(to: place) { return client }
    }
    throw .noListener(instance: instance)
  }

  /// Connects to a place; nil where no listener lives there.
  ///
  /// - Parameters:
  ///   - place: the place, in a folder that is ours.
  ///   - patience: how long to wait for the greeting, and for each answer where nothing else is said.
  /// - Returns: the connection, greeted already.
  /// - Throws: `ControlError` where one lives that does not answer, or will have nothing to do
  ///   with us.
  package static func connect(
    to place: ControlPlace, within patience: Duration = ControlClient.patience
  ) async throws(ControlError) -> ControlClient? {
    guard let socket = try ClientSocket(place) else { return nil }
    let lines = socket.lines()
    guard let first = try await socket.next(of: lines, within: patience) else {
      throw .closed(nil)
    }
    let greeting = JSONValue(json: first)
    guard let hello = greeting?["hello"], hello != .null else {
      socket.hangUp()
      throw .closed(greeting.flatMap(ControlFailure.init(answer:))?.message)
    }
    return ControlClient(
      place: place, hello: hello, lines: lines, socket: socket, patience: patience)
  }

  /// Sends one line.
  ///
  /// - Parameter request: an object with the member `do`.
  /// - Returns: false where the listener has gone, or takes nothing.
  @discardableResult
  package func send(_ request: JSONValue) -> Bool {
    var rest = Array((request.json + "\n").utf8)[...]
    // Lines of ours are short: what does not fit at once never will.
    while !rest.isEmpty {
      guard let count = UnixSocket.send(rest, to: socket.descriptor), count > 0 else {
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Ends the conversation: the lines end too.
  package func close() { socket.hangUp() }

  /// Asks and waits for the answer; lines that are none are passed over.
  ///
  /// - Parameters:
  ///   - request: an object with the member `do`.
  ///   - patience: how long to wait; nil is as long as for the greeting.
  /// - Returns: the answer, which may be an error.
  /// - Throws: `ControlError` where none comes.
  package func ask(
    _ request: JSONValue, within patience: Duration? = nil
  ) async throws(ControlError) -> JSONValue {
    guard send(request) else { throw .closed(nil) }
    while let line = try await next(within: patience ?? self.patience) {
      guard let value = JSONValue(json: line) else { continue }
      if value["answer"] != .null || value["error"] != .null { return value }
    }
    throw .closed(nil)
  }

  /// Waits for the next line.
  ///
  /// - Parameter patience: how long to wait.
  /// - Returns: the line; nil after the last.
  /// - Throws: `ControlError.silent` where none comes in time; the connection is over then.
  package func next(within patience: Duration) async throws(ControlError) -> [UInt8]? {
    try await socket.next(of: lines, within: patience)
  }
}

extension JSONValue {
  /// A request.
  ///
  /// - Parameters:
  ///   - verb: what to do.
  ///   - arguments: what with.
  package init(verb: String, _ arguments: [Member] = []) {
    self = .object([Member("do", .text(verb))] + arguments)
  }
}

/// A connected socket; closed when nobody has it any more, its reading thread among them.
private final class ClientSocket: Sendable {
  let descriptor: Int32
  private let instance: String

  /// The longest line of a listener: the queue of a large room.
  private static let lineLimit = 128 << 20

  /// Connects; nil where no listener lives there.
  init?(_ place: ControlPlace) throws(ControlError) {
    descriptor = try UnixSocket.make()
    instance = place.instance
    // A listener that accepts nobody must not hold us up.
    UnixSocket.makeNonBlocking(descriptor)
    switch UnixSocket.call(connect, descriptor, place.socketPath) {
    case 0: break
    case ENOENT, ECONNREFUSED, ENOTDIR: return nil
    case EAGAIN: throw .silent(instance: place.instance)
    case let code: throw .system(operation: "connect to", path: place.socketPath, code: code)
    }
    // A listener that another user runs is none of ours, wherever its socket is.
    guard let peer = UnixSocket.peer(of: descriptor), ControlLoop.isWelcome(peer.user) else {
      throw .foreignFolder(place.socketPath, .ownedByAnother)
    }
  }

  deinit { close(descriptor) }

  /// Ends both directions: the reading thread sees an end.
  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Reads lines on a thread of its own until one side ends.
  func lines() -> AsyncStream<[UInt8]> {
    let (lines, announce) = AsyncStream<[UInt8]>.makeStream()
    _ = NamedThread(name: "control-client") { [self] in
      var splitter = LineSplitter(limit: Self.lineLimit)
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      while !splitter.isOverrun {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, -1)
        let count = read(descriptor, &bytes, bytes.count)
        if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
        guard count > 0 else { break }
        splitter.append(bytes[..<count])
        while let line = splitter.next() { announce.yield(line) }
      }
      announce.finish()
    }
    return lines
  }

  /// The next line; nil after the last.
  func next(
    of lines: AsyncStream<[UInt8]>, within patience: Duration
  ) async throws(ControlError) -> [UInt8]? {
    let wait = Wait()
    let timer = Task { [self] in
      guard (try? await Task.sleep(for: patience)) != nil, wait.end() else { return }
      hangUp()
    }
    defer { timer.cancel() }
    var iterator = lines.makeAsyncIterator()
    let line = await iterator.next()
    guard wait.end() else { throw .silent(instance: instance) }
    return line
  }
}

/// A wait that ends once: by what was waited for, or by having taken too long.
private final class Wait: Sendable {
  private let isOver = Atomic(false)

  /// Ends it; false where it has ended before.
  func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
}
