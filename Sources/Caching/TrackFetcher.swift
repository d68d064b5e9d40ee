package import RoomProtocol

/// Brings the bytes of a track from its server; fitted to the network by the module above.
package protocol TrackFetcher: Sendable {
  /// Fetches a whole track.
  ///
  /// The sink's `response` is called once, when the server has agreed (2xx), then `receive` for each
  /// piece in order, from one thread at a time. It ends by returning after the last byte.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - sink: receives the bytes.
  /// - Throws: the network's own error; anything once `receive` has returned false; an error when
  ///   the task is cancelled.
  func fetch(_ id: TrackID, into sink: any DownloadSink) async throws
}

/// Where a fetcher puts what it gets.
///
/// Threading: called by one thread at a time; returns soon, though it may write to the disk.
package protocol DownloadSink: AnyObject, Sendable {
  /// The server has agreed and bytes will follow.
  ///
  /// - Parameters:
  ///   - contentLength: how many bytes it promises, nil where it says nothing.
  ///   - contentType: what it says they are, kept and never believed.
  func response(contentLength: Int64?, contentType: String?)

  /// Takes the next bytes.
  ///
  /// - Parameter bytes: valid during the call only.
  /// - Returns: false when no more are wanted: the fetcher stops.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}
