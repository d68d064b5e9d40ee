/// Reads the position out of ruler audio: the fixtures whose samples are the number of their frame.
///
/// A frame's number is split over the channels: the low 12 bits left, the rest right, each as a
/// 16-bit sample.
package enum Ruler {
  /// The frames of `audio/ruler.flac`, at 44,100 Hz.
  package static let frames: Int64 = 2_205_000

  /// The number of a frame by its samples as 16-bit values.
  package static func frame(left: Int, right: Int) -> Int64 {
    Int64(right) * 4096 + Int64(left)
  }

  /// The number of a frame by its samples as floats.
  package static func frame(left: Float, right: Float) -> Int64 {
    frame(left: Int((left * 32768).rounded()), right: Int((right * 32768).rounded()))
  }
}
