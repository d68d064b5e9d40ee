import CWebSockets

/// The headers that libwebsockets holds of the request or answer a handle is in.
struct ReceivedHeaders {
  private let wsi: OpaquePointer

  init(of wsi: OpaquePointer) {
    self.wsi = wsi
  }

  /// The value of a header, several lines of it joined; nil where there is none.
  func value(of token: lws_token_indexes) -> String? {
    text(of: lws_hdr_total_length(wsi, token)) { lws_hdr_copy(wsi, $0, $1, token) }
  }

  /// The values of a header, line by line.
  func values(of token: lws_token_indexes) -> [String] {
    var values: [String] = []
    while case let index = Int32(values.count),
      let value = text(
        of: lws_hdr_fragment_length(wsi, token, index),
        copying: { lws_hdr_copy_fragment(wsi, $0, $1, token, index) })
    {
      values.append(value)
    }
    return values
  }

  private func text(
    of length: Int32, copying copy: (UnsafeMutablePointer<CChar>?, Int32) -> Int32
  ) -> String? {
    guard length > 0 else { return nil }
    var text = [CChar](repeating: 0, count: Int(length) + 1)
    let copied = copy(&text, Int32(text.count))
    guard copied > 0 else { return nil }
    return String(decoding: text.prefix(Int(copied)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
