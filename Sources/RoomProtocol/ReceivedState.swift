/// A state as it arrived: its head decoded, its queue still as text.
///
/// The head says what plays and where, in well under a millisecond; the queue may be megabytes.
/// Decode it elsewhere, and only where its text changed.
package struct ReceivedState: Equatable, Sendable {
  /// All but the queue, which is nil here.
  package var state: ChannelState
  /// The queue's text, nil where the state carries none: then the last one stands.
  package var queueText: QueueText?

  /// Makes a received state.
  package init(state: ChannelState, queueText: QueueText? = nil) {
    self.state = state
    self.queueText = queueText
  }
}

/// A queue as JSON text, not decoded yet.
package struct QueueText: Sendable {
  /// The JSON array.
  package let bytes: [UInt8]

  /// Wraps the text of a JSON array.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Decodes the tracks.
  ///
  /// It takes about 2 µs a track: not on an executor that others wait for.
  ///
  /// - Returns: the tracks, and how many rows could not be read.
  /// - Throws: `WireError` where the text is no JSON: keep the last queue.
  package func decode() throws -> TolerantList<Track> {
    // Where each row is plainly written; of everything else the decoder judges.
    try plain() ?? WireJSON.decode(from: bytes)
  }

  private func plain() -> TolerantList<Track>? {
    struct Odd: Error {}
    var tracks: [Track] = []
    var elements = JSONElements()
    do {
      try bytes.withUnsafeBytes { text in
        try elements.take(text) { element in
          guard let track = Track(element: element) else { throw Odd() }
          tracks.append(track)
        }
      }
      try elements.finish()
    } catch {
      return nil
    }
    return TolerantList(tracks)
  }
}

extension QueueText: Equatable {
  /// Whether the texts are the same byte for byte.
  package static func == (left: QueueText, right: QueueText) -> Bool {
    left.bytes == right.bytes
  }
}
