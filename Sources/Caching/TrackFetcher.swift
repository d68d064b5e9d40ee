package import RoomProtocol

/// Brings the bytes of a track from its server; fitted to the network by the module above.
package protocol TrackFetcher: Sendable {
  /// Fetches a track or one range of it.
  ///
  /// The sink's `response` is called once, when the server has agreed (2xx) or says that the range
  /// lies outside (416), then `receive` for each piece of a body of success in order, from one thread
  /// at a time. It ends by returning after the last byte of the answer, whatever its length.
  ///
  /// - Parameters:
  ///   - request: what to ask for.
  ///   - sink: receives the bytes.
  /// - Throws: the network's own error; anything once `receive` has returned false; an error when
  ///   the task is cancelled.
  func fetch(_ request: TrackRequest, into sink: any DownloadSink) async throws
}

/// What is asked of a track's server.
package struct TrackRequest: Sendable, Equatable {
  /// The track.
  package var track: TrackID
  /// The bytes wanted, from a first one on; nil asks for the whole file without naming a range.
  package var start: Int64?
  /// The byte after the last one wanted; nil wants all that follow.
  package var end: Int64?
  /// The validator of the file that the range belongs to: where the file is another by now, the
  /// server is to answer with the whole of it.
  package var validator: String?

  /// Asks for a file, or a part of it.
  package init(
    _ track: TrackID, from start: Int64? = nil, to end: Int64? = nil, validator: String? = nil
  ) {
    self.track = track
    self.start = start
    self.end = end
    self.validator = validator
  }

  /// The value of the `Range` header; nil for the whole file.
  package var range: String? {
    start.map { "bytes=\($0)-" + (end.map { "\($0 - 1)" } ?? "") }
  }
}

/// The head of a server's answer, as it stands there: nothing of it is believed yet.
package struct TrackAnswer: Sendable {
  /// The status: 2xx or 416.
  package var status: Int
  /// `Content-Length`, where the body comes neither compressed nor in chunks.
  package var contentLength: String?
  /// `Content-Range`.
  package var contentRange: String?
  /// `ETag`.
  package var entityTag: String?
  /// `Last-Modified`.
  package var lastModified: String?
  /// `Date`.
  package var date: String?
  /// `Content-Type`: kept and never believed.
  package var contentType: String?

  /// An answer of which only the status is known.
  package init(status: Int) { self.status = status }
}

/// Where a fetcher puts what it gets.
///
/// Threading: called by one thread at a time; returns soon, though it may write to the disk.
package protocol DownloadSink: AnyObject, Sendable {
  /// The server has agreed and bytes will follow, or it has no such range.
  func response(_ answer: TrackAnswer)

  /// Whether it wants no bytes for now: the server is held back until it does.
  var isFull: Bool { get }

  /// Takes the next bytes.
  ///
  /// - Parameter bytes: valid during the call only.
  /// - Returns: false when no more are wanted: the fetcher stops.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
}
