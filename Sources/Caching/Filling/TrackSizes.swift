package import RoomProtocol
import Synchronization

/// Asks a server how large tracks are, by a range of one byte each.
package enum TrackSizes {
  /// Asks for the sizes, in bytes.
  ///
  /// - Parameters:
  ///   - ids: the tracks.
  ///   - fetcher: asks.
  ///   - parallel: how many are asked for at once.
  /// - Returns: by track; what the server does not tell is left out.
  package static func ask(
    _ ids: [TrackID], by fetcher: any TrackFetcher, parallel: Int
  ) async -> [TrackID: Int64] {
    await withTaskGroup(of: (TrackID, Int64?).self) { group in
      var sizes: [TrackID: Int64] = [:]
      var rest = ids[...]
      for id in rest.prefix(parallel) { group.addTask { (id, await size(of: id, by: fetcher)) } }
      rest = rest.dropFirst(parallel)
      for await (id, size) in group {
        sizes[id] = size
        if let next = rest.popFirst() {
          group.addTask { (next, await self.size(of: next, by: fetcher)) }
        }
      }
      return sizes
    }
  }

  private static func size(of id: TrackID, by fetcher: any TrackFetcher) async -> Int64? {
    let sink = SizeSink(TrackRequest(id, from: 0, to: 1))
    // It fails where the whole file was about to come: the head of the answer was enough.
    try? await fetcher.fetch(sink.request, into: sink)
    return sink.size
  }
}

/// Takes the head of an answer and nothing more.
private final class SizeSink: DownloadSink {
  let request: TrackRequest
  private let found = Mutex<Int64?>(nil)

  init(_ request: TrackRequest) { self.request = request }

  var size: Int64? { found.withLock { $0 } }
  var isFull: Bool { false }

  func response(_ answer: TrackAnswer) {
    guard let place = try? AnswerPlace(answer, to: request) else { return }
    found.withLock { $0 = place.length }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
}
