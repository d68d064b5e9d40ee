import CWebSockets

/// The one WebSocket protocol of a context: its callback and its buffers.
///
/// libwebsockets keeps pointers to it, so it must live as long as the context.
final class SocketProtocol {
  /// Every event of the library; see `lws_callback_reasons`.
  typealias Callback =
    @convention(c) (
      OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32

  /// The name, for connections that are to use it.
  let name: UnsafePointer<CChar>?
  /// What a context is made with: the protocol, and an empty one as the list's end.
  let list: UnsafeMutablePointer<lws_protocols>
  private let strings = KeptStrings()

  /// Describes a protocol.
  ///
  /// - Parameters:
  ///   - name: the name, which the other side doesn't hear.
  ///   - callback: a function of file level.
  ///   - receiving: the most bytes of a piece that comes in.
  ///   - sending: the most bytes of a piece that goes out; 0 as many as come in.
  init(name: String, callback: @escaping Callback, receiving: Int, sending: Int = 0) {
    self.name = strings.keep(name)
    list = .allocate(capacity: 2)
    list.initialize(repeating: lws_protocols(), count: 2)
    list[0].name = self.name
    list[0].callback = callback
    list[0].rx_buffer_size = receiving
    list[0].tx_packet_size = sending
  }

  deinit {
    list.deallocate()
  }
}
