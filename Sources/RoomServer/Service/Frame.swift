/// One text message for any number of WebSockets, encoded once and never copied whole.
final class Frame {
  let text: [UInt8]

  init(_ text: [UInt8]) {
    self.text = text
  }
}
