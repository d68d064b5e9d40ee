/// A body of an answer that is not in memory, such as a stretch of a file.
///
/// Threading: service thread only; `read` may block on a disk, for as long as all clients can wait.
package protocol BodySource: AnyObject {
  /// The bytes in all.
  var count: Int64 { get }

  /// Copies the next bytes, at most as many as the buffer holds.
  ///
  /// - Returns: how many were copied; 0 before the end breaks the answer off.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
}
