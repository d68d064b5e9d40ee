/// One text message for any number of WebSockets, encoded once and never copied whole.
package final class TextFrame: Sendable {
  let text: [UInt8]

  /// Makes a message of UTF-8 bytes, which are not checked.
  package init(_ text: [UInt8]) {
    self.text = text
  }
}
