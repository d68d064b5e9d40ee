import CWebSockets

/// The message that is arriving on a WebSocket, put together however it was fragmented.
struct ArrivingMessage {
  /// What a piece led to.
  enum Progress {
    /// More is to come.
    case partial
    /// All is there; and when the first byte was.
    case whole([UInt8], began: ContinuousClock.Instant)
    /// It is longer than the limit; the socket must end.
    case tooLarge
  }

  /// The longest message taken, in bytes.
  let limit: Int
  private var bytes: [UInt8] = []
  private var began: ContinuousClock.Instant?

  init(limit: Int) {
    self.limit = limit
  }

  /// Takes the next piece, in the callback that brings it.
  mutating func take(_ piece: UnsafeRawBufferPointer, from wsi: OpaquePointer) -> Progress {
    // Stamped here, at the first fragment: whatever comes later would count as drift.
    let began = began ?? ContinuousClock.now
    self.began = began
    guard bytes.count + piece.count <= limit else { return .tooLarge }
    let rest = lws_remaining_packet_payload(wsi)
    let isWhole = lws_is_final_fragment(wsi) != 0 && rest == 0
    if bytes.isEmpty, !isWhole { bytes.reserveCapacity(min(limit, piece.count + rest)) }
    bytes.append(contentsOf: piece)
    guard isWhole else { return .partial }
    // Not by a `defer { self = … }` behind the return: in a release build of Swift 6.3.1 the bytes
    // were released twice.
    let whole = bytes
    bytes = []
    self.began = nil
    return .whole(whole, began: began)
  }
}
