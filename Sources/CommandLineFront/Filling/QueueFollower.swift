import Caching
import RoomClient
import RoomProtocol

/// Follows the queue of the room that is meant, for as long as it is asked to: through the listener
/// where one is in the room, else by a socket of its own, which is opened again when it is lost.
struct QueueFollower {
  let context: CommandContext
  let session: ServerSession
  /// How long to wait before coming back.
  let retry: RetryPolicy

  /// Tells the queue's tracks each time they change: the current one first, then those after it, then
  /// those before it.
  ///
  /// - Parameters:
  ///   - note: told what people should know.
  ///   - body: told the tracks that the server has.
  /// - Throws: what waiting can't heal; `CancellationError`.
  func follow(note: (String) -> Void, _ body: ([Track]) -> Void) async throws {
    var failures = 0
    var last: [TrackID]?
    while true {
      do {
        let visit = try await context.visit(on: session, wantsQueue: true)
        failures = 0
        repeat {
          guard visit.queue != nil else { continue }
          let tracks = Self.inOrder(try visit.rows)
          let ids = tracks.map(\.id)
          if ids != last { body(tracks) }
          last = ids
        } while try await visit.change()
      } catch {
        failures += 1
        let diagnostic = Diagnostic(describing: error)
        guard !Task.isCancelled, diagnostic.mayPass,
          let pause = retry.delay(after: failures, chance: .random(in: 0..<1))
        else { throw error }
        if failures == 1 { note("lost the room, coming back: \(diagnostic.message)") }
        try await Task.sleep(for: pause)
      }
    }
  }

  /// The rows in the order in which they will be needed, each track once.
  static func inOrder(_ rows: QueueRows) -> [Track] {
    let start = min(max(0, rows.currentIndex), rows.tracks.count)
    var seen: Set<TrackID> = []
    return (rows.tracks[start...] + rows.tracks[..<start]).filter {
      $0.available && seen.insert($0.id).inserted
    }
  }
}
