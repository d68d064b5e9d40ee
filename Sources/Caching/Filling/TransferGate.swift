package import Platform
import Synchronization

/// Counts the bytes of a command's transfers, and holds them back where they have a rate: whoever
/// began first goes first, and the others get what it leaves, so that tracks come in their order.
///
/// That they wait while a player needs the line is the downloads' own affair (`PlayingLock`).
///
/// Threading: from anywhere.
package final class TransferGate: Sendable {
  private struct State {
    var limit: RateLimit?
    var received: Int64 = 0
    /// The transfers under way, in the order in which they began.
    var transfers: [Int] = []
    var next = 0
  }

  private let time: TimeSource
  private let state: Mutex<State>

  /// Opens a gate.
  ///
  /// - Parameters:
  ///   - bytesPerSecond: what may come in all; nil for as much as comes.
  ///   - time: the clock.
  package init(bytesPerSecond: Int64?, time: TimeSource = .live) {
    self.time = time
    let limit = bytesPerSecond.map { RateLimit(bytesPerSecond: $0, at: time.now()) }
    state = Mutex(State(limit: limit))
  }

  /// Bytes that have come through.
  package var received: Int64 { state.withLock(\.received) }

  /// A transfer begins; the number stands for it.
  func begin() -> Int {
    state.withLock { state in
      state.next += 1
      state.transfers.append(state.next)
      return state.next
    }
  }

  /// A transfer has ended.
  func end(_ number: Int) {
    state.withLock { state in state.transfers.removeAll { $0 == number } }
  }

  /// Whether nothing may come for a transfer for now.
  func isShut(for number: Int) -> Bool {
    let now = time.now()
    return state.withLock { state in
      guard state.limit != nil else { return false }
      if state.transfers.first == number { return state.limit?.wait(at: now) ?? .zero > .zero }
      return state.limit?.isPlentiful(at: now) == false
    }
  }

  /// Counts bytes that have come.
  func take(_ count: Int) {
    let now = time.now()
    state.withLock { state in
      state.received += Int64(count)
      state.limit?.take(count, at: now)
    }
  }
}

/// A fetcher whose transfers go through a gate.
package struct GatedFetcher: TrackFetcher {
  private let fetcher: any TrackFetcher
  private let gate: TransferGate

  /// Puts a gate before a fetcher.
  ///
  /// - Parameters:
  ///   - fetcher: brings the bytes.
  ///   - gate: shared by all transfers that are held back together.
  package init(_ fetcher: any TrackFetcher, through gate: TransferGate) {
    self.fetcher = fetcher
    self.gate = gate
  }

  /// Fetches as the other does, only slower.
  ///
  /// - Parameters:
  ///   - request: what to ask for.
  ///   - sink: receives the bytes.
  /// - Throws: what the other throws.
  package func fetch(_ request: TrackRequest, into sink: any DownloadSink) async throws {
    let number = gate.begin()
    defer { gate.end(number) }
    try await fetcher.fetch(request, into: GatedSink(sink, gate, number))
  }
}

/// A sink that is full while the gate is shut.
private final class GatedSink: DownloadSink {
  private let sink: any DownloadSink
  private let gate: TransferGate
  private let number: Int

  init(_ sink: any DownloadSink, _ gate: TransferGate, _ number: Int) {
    self.sink = sink
    self.gate = gate
    self.number = number
  }

  var isFull: Bool { sink.isFull || gate.isShut(for: number) }

  func response(_ answer: TrackAnswer) { sink.response(answer) }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    gate.take(bytes.count)
    return sink.receive(bytes)
  }
}
