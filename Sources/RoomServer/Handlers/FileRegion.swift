import Storage
import Transport

/// A stretch of an open file, read piece by piece.
final class FileRegion: BodySource {
  /// The bytes to send, by their place in the file.
  let range: Range<Int64>
  /// Bytes whose bits a fault turns around.
  var corrupted: Range<Int64>?

  private let file: OpenFile
  private var position: Int64

  init(file: OpenFile, range: Range<Int64>) {
    self.file = file
    self.range = range
    position = range.lowerBound
  }

  var count: Int64 { range.upperBound - range.lowerBound }

  /// Reads the next bytes into a buffer, at most up to the region's end.
  ///
  /// - Returns: the count, 0 when the file is shorter than it was or can't be read.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let wanted = Int(min(Int64(buffer.count), range.upperBound - position))
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
    guard let count = try? file.read(into: piece, at: position), count > 0 else { return 0 }
    if let corrupted {
      let hit = corrupted.clamped(to: position..<(position + Int64(count)))
      for place in hit { buffer[Int(place - position)] ^= 0xFF }
    }
    position += Int64(count)
    return count
  }
}
