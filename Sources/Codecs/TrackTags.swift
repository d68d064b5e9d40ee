/// What a file says of its music.
package struct TrackTags: Equatable, Sendable {
  package var title: String?
  package var artist: String?
  package var album: String?
  /// The track gain of ReplayGain, in dB.
  package var replayGain: Double?
  /// The track peak of ReplayGain, 1 for full scale.
  package var replayPeak: Double?

  package init() {}

  /// Takes the comments of Vorbis and Opus, which lie in C arrays: texts and their lengths.
  init(
    comments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    lengths: UnsafeMutablePointer<Int32>?, count: Int
  ) {
    guard let comments, let lengths else { return }
    for index in 0..<count {
      guard let text = comments[index] else { continue }
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(lengths[index]))
      take(comment: String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Takes one `NAME=value` comment of Vorbis, FLAC or Opus, or an ID3 user text; the first value of
  /// a name stands.
  mutating func take(name: String, value: String) {
    guard !value.isEmpty else { return }
    switch name.uppercased() {
    case "TITLE": title = title ?? value
    case "ARTIST": artist = artist ?? value
    case "ALBUM": album = album ?? value
    case "REPLAYGAIN_TRACK_GAIN": replayGain = replayGain ?? Self.number(value)
    case "REPLAYGAIN_TRACK_PEAK": replayPeak = replayPeak ?? Self.number(value)
    default: break
    }
  }

  /// Takes a whole `NAME=value` comment.
  mutating func take(comment: String) {
    guard let split = comment.firstIndex(of: "=") else { return }
    take(name: String(comment[..<split]), value: String(comment[comment.index(after: split)...]))
  }

  /// The same with what is missing taken from the other.
  func completed(by other: Self) -> Self {
    var tags = self
    tags.title = title ?? other.title
    tags.artist = artist ?? other.artist
    tags.album = album ?? other.album
    tags.replayGain = replayGain ?? other.replayGain
    tags.replayPeak = replayPeak ?? other.replayPeak
    return tags
  }

  /// Reads `-6.20 dB` or `0.988`.
  private static func number(_ text: String) -> Double? {
    let digits = text.prefix { !$0.isLetter && $0 != " " }
    return Double(digits).flatMap { $0.isFinite ? $0 : nil }
  }
}
