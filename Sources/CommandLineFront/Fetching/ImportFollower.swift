import RoomClient
import RoomProtocol
import Transport

/// Follows imports to their ends by asking for the list of jobs, and shows how far they are.
///
/// Threading: one task; cancelled it says that the server goes on.
struct ImportFollower {
  private let order: ImportOrder
  private let session: ServerSession
  private let context: CommandContext

  /// How many times in a row the server may fail to answer before it is given up.
  private static let patience = 10

  init(_ order: ImportOrder, _ session: ServerSession, _ context: CommandContext) {
    self.order = order
    self.session = session
    self.context = context
  }

  /// Waits for the end of all imports.
  ///
  /// - Returns: the imports, each with its end.
  /// - Throws: `RoomError` where the server no longer answers; `CancellationError`.
  func follow() async throws -> [ImportWatch.Item] {
    var watch = ImportWatch(order.items, earlier: order.earlier)
    var pace = PollPace()
    var failures = 0
    do {
      while true {
        var hasNews = false
        do throws(RoomError) {
          hasNews = watch.take(try await session.api.fetchJobs().jobs)
          failures = 0
        } catch {
          failures += 1
          guard error.mayPass, failures < Self.patience else { throw error }
        }
        if watch.isOver { break }
        try await Task.sleep(for: pace.wait(afterNews: hasNews))
      }
    } catch {
      // Front takes what comes after a signal for no news.
      context.console.complain(
        "blastoise: no longer watching; the import goes on (blastoise fetch list shows it)")
      throw error
    }
    return watch.items
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
