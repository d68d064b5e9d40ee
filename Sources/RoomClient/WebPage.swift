package import Transport

/// A page for people, which some other server sends where an answer of the protocol was to come: a
/// proxy, the portal of a hotel, a server of files that knows no API.
package struct WebPage: Sendable {
  /// What it is called, in one line; nil where it does not say.
  package let title: String?

  private static let titleLimit = 300
  private static let searched = 16384

  /// Reads an answer; nil where it is no page.
  package init?(_ response: HTTPResponse) {
    let isDeclared = Self.isDeclared(response.headers["Content-Type"])
    let bytes = Array(response.body.prefix(Self.searched))
    let isMarked = bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
    guard Self.begins(bytes) || (isDeclared && isMarked) else { return nil }
    let lower = bytes.map(Self.lowercased)
    guard let open = lower.firstRange(of: Array("<title>".utf8)),
      let close = lower[open.upperBound...].firstRange(of: Array("</title>".utf8))
    else {
      title = nil
      return
    }
    let text = String(decoding: bytes[open.upperBound..<close.lowerBound], as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    title = words.isEmpty ? nil : String(words.prefix(Self.titleLimit))
  }

  /// Whether a Content-Type is that of a page; what is sent under it may be none all the same.
  ///
  /// - Parameter contentType: the header; nil where there is none.
  /// - Returns: whether it is.
  package static func isDeclared(_ contentType: String?) -> Bool {
    contentType?.lowercased().hasPrefix("text/html") ?? false
  }

  /// Whether a body begins as a page does; no audio does.
  ///
  /// - Parameter bytes: the body, or its beginning.
  /// - Returns: whether it does.
  package static func begins(_ bytes: some Collection<UInt8>) -> Bool {
    let start = bytes.drop { $0 <= 0x20 }.prefix(14).map(lowercased)
    return ["<!doctype html", "<html"].contains { start.starts(with: $0.utf8) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
