/// The samples of a 16-bit stereo recording: a WAV file, or raw frames.
package struct Recording: Sendable {
  /// Left and right in turn.
  package let samples: [Int16]

  /// Reads a WAV file with the usual header of 44 bytes.
  ///
  /// - Throws: `FixtureError` when there is no such file.
  package init(_ path: String) throws {
    self.init(raw: try Fixture.bytes(at: path).dropFirst(44))
  }

  /// Takes raw little-endian frames.
  package init(raw bytes: some Collection<UInt8>) {
    samples = Array(bytes.prefix(bytes.count / 4 * 4)).withUnsafeBytes { raw in
      Array(raw.bindMemory(to: Int16.self))
    }
  }

  /// The number of frames.
  package var frames: Int { samples.count / 2 }

  /// Whether any sample is no silence.
  package var hasSound: Bool { samples.contains { $0 != 0 } }

  /// The ruler's frame heard at an output frame; nil where it is silent, or behind the end.
  package func ruler(at frame: Int) -> Int64? {
    guard frame >= 0, frame < frames else { return nil }
    let (left, right) = (Int(samples[frame * 2]), Int(samples[frame * 2 + 1]))
    return left == 0 && right == 0 ? nil : Ruler.frame(left: left, right: right)
  }
}
