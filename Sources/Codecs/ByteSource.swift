/// The bytes of a track, wherever they are: a file, or a download that still grows.
///
/// Threading: `read` is called by one thread at a time and may block until the bytes are there;
/// `cancel` may be called from any thread and makes a blocked and all later reads throw.
package protocol ByteSource: AnyObject, Sendable {
  /// The number of bytes in all, or nil while it is not known.
  var length: Int64? { get }

  /// Whether every byte is at hand, so that no read has to wait.
  ///
  /// While it is false the decoders keep away from the end of the track (they would wait for the
  /// whole download) and seek by decoding forward, but where `canJump` allows more; once it turned
  /// true a seek may jump.
  var isComplete: Bool { get }

  /// Whether any byte can be had with a short wait: a far seek may jump though not all is at hand.
  /// `isComplete` where nothing else is said.
  var canJump: Bool { get }

  /// Copies bytes from `offset` on.
  ///
  /// - Parameters:
  ///   - offset: bytes from the start, 0 or more.
  ///   - buffer: receives the bytes; what lies past the count returned is left as it was.
  /// - Returns: how many bytes were copied: at least 1, or 0 at or past the end.
  /// - Throws: `ByteSourceError` when the bytes can't be had, or after `cancel`.
  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int

  /// Ends all reading, now and later.
  func cancel()
}

extension ByteSource {
  package var canJump: Bool { isComplete }

  /// Whether a decoder that has come to `reached` jumps to a frame rather than to decode up to it.
  ///
  /// A jump reads in several places, each of which is waited for: near ones are not worth it.
  func isWorthAJump(from reached: Int64, to frame: Int64, rate: Int) -> Bool {
    if isComplete { return true }
    return canJump && length != nil && (frame < reached || frame - reached > 3 * Int64(rate))
  }
}

/// Why bytes could not be read.
package enum ByteSourceError: Error, Equatable {
  /// `cancel` was called.
  case cancelled
  /// The system refused: the operation, what it was about, and the `errno`.
  case system(operation: String, subject: String, code: Int32)
  /// The download that feeds the source failed for good; the text is the failure's own.
  case lost(String)
}
