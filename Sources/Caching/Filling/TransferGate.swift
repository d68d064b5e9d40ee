package import Platform
import Synchronization

/// Counts the bytes of a command's transfers, and holds them back where they have a rate.
///
/// That they wait while a player needs the line is the downloads' own affair (`PlayingLock`).
///
/// Threading: from anywhere.
package final class TransferGate: Sendable {
  private struct State {
    var limit: RateLimit?
    var received: Int64 = 0
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

  /// Whether nothing may come for now.
  var isShut: Bool {
    let now = time.now()
    return state.withLock { $0.limit?.wait(at: now) ?? .zero > .zero }
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
    try await fetcher.fetch(request, into: GatedSink(sink, gate))
  }
}

/// A sink that is full while the gate is shut.
private final class GatedSink: DownloadSink {
  private let sink: any DownloadSink
  private let gate: TransferGate

  init(_ sink: any DownloadSink, _ gate: TransferGate) {
    self.sink = sink
    self.gate = gate
  }

  var isFull: Bool { sink.isFull || gate.isShut }

  func response(_ answer: TrackAnswer) { sink.response(answer) }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    gate.take(bytes.count)
    return sink.receive(bytes)
  }
}
