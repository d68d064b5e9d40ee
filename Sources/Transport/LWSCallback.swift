import CWebSockets

/// libwebsockets' callback of our sockets, on their thread; 0 to go on, -1 to close.
func webSocketCallback(
  _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ data: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
  guard let wsi, let pointer = lws_get_opaque_user_data(wsi),
    let owner = lws_context_user(lws_get_context(wsi))
  else { return 0 }
  let driver = Unmanaged<ServiceDriver>.fromOpaque(owner).takeUnretainedValue()
  let link = Unmanaged<WebSocketLink>.fromOpaque(pointer).takeUnretainedValue()
  // Only some reasons come with bytes: with others the count may be anything, even negative.
  func bytes() -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : count)
  }
  switch reason {
  case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
    // Only a witness: OpenSSL's verdict stands, this keeps its reason.
    if let user, let reason = cwebsockets_distrust(user) {
      link.distrust = String(cString: reason)
    }
  case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
    guard let data else { return -1 }
    let place = data.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>.self)
    return link.appendHeaders(at: place, room: count) ? 0 : -1
  case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
    link.readCookies(wsi)
  case LWS_CALLBACK_CLIENT_ESTABLISHED:
    link.wsi = wsi
    link.open()
    lws_callback_on_writable(wsi)
  case LWS_CALLBACK_CLIENT_RECEIVE:
    guard let cause = link.take(bytes(), wsi) else { return 0 }
    // Told at once: the peer may take seconds to answer our close frame.
    lws_set_opaque_user_data(wsi, nil)
    driver.end(link, with: .failed(link.connection.error(cause)))
    return -1
  case LWS_CALLBACK_CLIENT_WRITEABLE:
    return link.write(wsi) ? 0 : -1
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    link.peerCloses(bytes())
  case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
    link.wsi = wsi
    lws_set_opaque_user_data(wsi, nil)
    driver.fail(link, String(decoding: bytes(), as: UTF8.self))
  case LWS_CALLBACK_CLIENT_CLOSED:
    lws_set_opaque_user_data(wsi, nil)
    link.wsi = nil
    driver.end(link, with: .closed(code: link.closeCode, reason: link.closeReason))
  case LWS_CALLBACK_CLOSED_CLIENT_HTTP, LWS_CALLBACK_WSI_DESTROY:
    // A handshake that ran out of time ends so, without a CONNECTION_ERROR.
    lws_set_opaque_user_data(wsi, nil)
    driver.vanish(link)
  default:
    break
  }
  return 0
}
