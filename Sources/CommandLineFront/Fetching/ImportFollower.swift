import Control
import RoomClient
import RoomProtocol
import Transport

/// Follows imports to their ends, and shows how far they are: by what a running listener of the
/// server hears, and by asking for the list of jobs; never by a socket of its own.
///
/// Threading: one task; cancelled it says that the server goes on.
struct ImportFollower {
  private enum Item: Sendable {
    case heard(FetchUpdate)
    /// It is time to ask again; only the last of them counts.
    case time(Int)
  }

  /// How many times in a row the server may fail to answer before it is given up.
  private static let patience = 10
  /// How often is asked where a listener hears what happens: what it may have missed.
  private static let calm = Duration.seconds(5)

  private let order: ImportOrder
  private let session: ServerSession
  private let context: CommandContext
  private let items: AsyncStream<Item>
  private let announce: AsyncStream<Item>.Continuation

  init(_ order: ImportOrder, _ session: ServerSession, _ context: CommandContext) {
    self.order = order
    self.session = session
    self.context = context
    (items, announce) = AsyncStream.makeStream()
  }

  /// Waits for the end of all imports; where that is given up, tells how far they are.
  ///
  /// - Parameter wish: what was to become of them.
  /// - Returns: the imports, each with its end.
  /// - Throws: `RoomError` where the server no longer answers; `CancellationError`.
  func follow(_ wish: ImportWish) async throws -> [ImportWatch.Item] {
    var watch = ImportWatch(order.items, earlier: order.earlier)
    let bar = ImportBar(order, context)
    bar.begin(watch)
    let listener = await listener()
    let hearing = listener.map { client in Task { [announce] in await Self.hear(client, announce) }
    }
    defer { hearing?.cancel() }
    do {
      try await follow(&watch, bar, isHeard: listener != nil)
    } catch {
      bar.end()
      // Front takes what comes after a signal for no news.
      order.tellUnwatched(watch.items, wish, in: context)
      throw error
    }
    bar.end()
    return watch.items
  }

  private func follow(_ watch: inout ImportWatch, _ bar: ImportBar, isHeard: Bool) async throws {
    var pace = PollPace()
    var failures = 0
    var looks = 0
    var hasNews = try await look(&watch, &failures)
    while !watch.isOver {
      bar.show(watch)
      looks += 1
      let pause = looks > 1 && isHeard ? Self.calm : pace.wait(afterNews: hasNews)
      hasNews = try await listen(to: &watch, bar, for: pause, number: looks)
      if !watch.isOver { hasNews = try await look(&watch, &failures) || hasNews }
    }
    // A message does not tell which track came; the list may.
    if watch.items.contains(where: { $0.end == .done && $0.trackID == nil }) {
      _ = try? await look(&watch, &failures)
    }
  }

  // MARK: - Asking

  /// Asks for the list of jobs; true where it holds news.
  private func look(_ watch: inout ImportWatch, _ failures: inout Int) async throws -> Bool {
    do throws(RoomError) {
      let jobs = try await session.api.fetchJobs().jobs
      failures = 0
      return watch.take(jobs)
    } catch {
      failures += 1
      guard error.mayPass, failures < Self.patience else { throw error }
      return false
    }
  }

  // MARK: - Hearing

  /// Takes what is heard until it is time to ask, or all is over; true where there was news.
  private func listen(
    to watch: inout ImportWatch, _ bar: ImportBar, for pause: Duration, number: Int
  ) async throws -> Bool {
    let timer = Task { [announce] in
      try await Task.sleep(for: pause)
      announce.yield(.time(number))
    }
    defer { timer.cancel() }
    var hasNews = false
    for await item in items {
      switch item {
      case .time(number): return hasNews
      case .time: continue
      case .heard(let update):
        guard watch.take(update) else { continue }
        hasNews = true
        if watch.isOver { return true }
        bar.show(watch)
      }
    }
    throw CancellationError()
  }

  /// The running listener, where it is at the same server.
  private func listener() async -> ControlClient? {
    guard let client = try? await context.listener(),
      client.hello["server"].text == session.server.description,
      (try? await client.answer(to: "events")) != nil
    else { return nil }
    return client
  }

  private static func hear(
    _ client: ControlClient, _ announce: AsyncStream<Item>.Continuation
  ) async {
    for await line in client.lines {
      guard let value = JSONValue(json: line), value["event"].text == "fetch",
        let type = value["type"].text
      else { continue }
      announce.yield(
        .heard(
          FetchUpdate(
            type: type, id: value["id"].text.map { FetchID($0) }, status: value["status"].text,
            progress: value["progress"].number, title: value["title"].text,
            message: value["message"].text,
            trackID: value["track_id"].text.map { TrackID($0) })))
    }
  }
}

extension RoomError {
  /// Whether asking again later may help.
  fileprivate var mayPass: Bool {
    switch self {
    case .server(_, let status, _): status >= 500 || status == 429 || status == 408
    case .transport(let error): error.cause != .cancelled
    case .notSignedIn, .forbidden, .notFound, .unexpected: false
    }
  }
}

/// How far imports are, on a terminal; elsewhere that they have begun.
private struct ImportBar {
  private let bar: ProgressBar?
  private let label: String
  private let context: CommandContext

  init(_ order: ImportOrder, _ context: CommandContext) {
    self.context = context
    label = order.summary
    bar = context.console.canRedraw ? ProgressBar(context.console, label: label) : nil
  }

  func begin(_ watch: ImportWatch) {
    if bar == nil, !context.isJSON { context.console.note("the server imports \(label)") }
    show(watch)
  }

  func show(_ watch: ImportWatch) {
    let open = watch.items.filter { $0.end == nil }
    let status = open.first { $0.progress != nil }?.status ?? open.first?.status ?? ""
    let count = watch.items.count
    let done = count > 1 ? "\(count - open.count) of \(count)" : Printable.escaped(status)
    bar?.update(watch.isMeasured ? watch.fraction : nil, detail: done)
  }

  func end() { bar?.clear() }
}
