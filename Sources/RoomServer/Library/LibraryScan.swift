import RoomProtocol

/// One run of the scanner on its way to the service thread: events in batches.
///
/// Threading: `collect` on the scanning thread; what it hands over is posted.
final class LibraryScan {
  /// Everything of a while, for one turn of the service thread.
  struct Batch: Sendable {
    var files: [ScannedFile] = []
    var skipped: [(path: String, reason: String)] = []
    var processed = 0
    var total = 0
  }

  private static let interval = Duration.milliseconds(250)
  private static let fileLimit = 200

  private let deliver: (Batch) -> Void
  private var batch = Batch()
  private var delivered = ContinuousClock.now

  init(deliver: @escaping (Batch) -> Void) {
    self.deliver = deliver
  }

  /// Takes an event, and hands over what has gathered from time to time.
  func collect(_ event: LibraryScanner.Event) {
    switch event {
    case .progress(let processed, let total): (batch.processed, batch.total) = (processed, total)
    case .found(let file): batch.files.append(file)
    case .skipped(let path, let reason): batch.skipped.append((path, reason))
    }
    let isDue = ContinuousClock.now - delivered >= Self.interval
    if isDue || batch.files.count >= Self.fileLimit { flush() }
  }

  /// Hands over what is left.
  func flush() {
    deliver(batch)
    batch.files.removeAll()
    batch.skipped.removeAll()
    delivered = ContinuousClock.now
  }
}
