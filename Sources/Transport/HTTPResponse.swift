/// A server's answer, whatever its status.
package struct HTTPResponse: Sendable {
  /// The address that answered in the end: another than the request's after a redirect.
  package var url: NetworkURL

  /// The status code, 200 to 599.
  package var status: Int

  /// The header lines.
  package var headers: HTTPHeaders

  /// The body, decompressed; empty after a successful download, whose bytes went to the receiver.
  package var body: [UInt8]

  /// When the request was about to be sent, on a connection that stood already.
  package var sentAt: ContinuousClock.Instant

  /// When the first byte of the answer was there.
  package var answeredAt: ContinuousClock.Instant

  /// Whether the status is one of success.
  package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Takes the bytes of a download as they arrive.
///
/// Threading: called on the client's own thread, one call at a time, in order; what blocks here
/// blocks all transfers.
package protocol BodyReceiver: AnyObject, Sendable {
  /// Takes the head of the final answer, before any byte of its body.
  ///
  /// - Parameters:
  ///   - status: the status code. The body of an answer that is no success goes to the response.
  ///   - headers: the header lines.
  ///   - contentLength: how many bytes will follow, where the server says so.
  func response(status: Int, headers: HTTPHeaders, contentLength: Int64?)

  /// Whether it wants no bytes for now: the server is held back until it does. False where nothing
  /// is said.
  var isFull: Bool { get }

  /// Takes the next bytes, which are valid during the call only.
  ///
  /// - Returns: false to abort the download.
  func data(_ bytes: UnsafeRawBufferPointer) -> Bool
}

extension BodyReceiver {
  package var isFull: Bool { false }
}
