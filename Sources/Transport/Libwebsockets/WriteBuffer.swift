import CWebSockets

/// Bytes on their way out, with the room in front of them that libwebsockets writes its own into.
final class WriteBuffer {
  /// Where the bytes go before they are written.
  let payload: UnsafeMutableRawBufferPointer
  private let storage: UnsafeMutableRawBufferPointer

  init(capacity: Int) {
    storage = .allocate(byteCount: Int(cwebsockets_pre) + capacity, alignment: 16)
    payload = UnsafeMutableRawBufferPointer(rebasing: storage[Int(cwebsockets_pre)...])
  }

  deinit {
    storage.deallocate()
  }

  /// Writes the first bytes of the payload into a handle, in its writable moment.
  ///
  /// - Returns: false where the handle is done for.
  func write(_ count: Int, to wsi: OpaquePointer, as kind: lws_write_protocol) -> Bool {
    let start = payload.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return lws_write(wsi, start, count, kind) >= Int32(count)
  }

  /// Writes one fragment of a text message, in the writable moment of its socket.
  ///
  /// - Parameters:
  ///   - text: the fragment, or the whole message.
  ///   - wsi: the socket.
  ///   - isFirst: whether the message begins with it.
  ///   - isLast: whether the message ends with it.
  /// - Returns: false where the socket is done for.
  func write(_ text: ArraySlice<UInt8>, to wsi: OpaquePointer, isFirst: Bool, isLast: Bool) -> Bool
  {
    payload.copyBytes(from: text)
    let flags = lws_write_ws_flags(
      Int32(LWS_WRITE_TEXT.rawValue), isFirst ? 1 : 0, isLast ? 1 : 0)
    return write(text.count, to: wsi, as: lws_write_protocol(rawValue: UInt32(flags)))
  }
}
