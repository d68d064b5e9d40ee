/// A reading position in a byte source, for C libraries that read through callbacks.
///
/// A callback can't throw: the cursor keeps the failure, answers "end of file" from then on, and the
/// decoder looks at `failure` when the library comes back. Positions count from `origin`, so that a
/// library never sees the tags in front of the audio.
final class SourceCursor {
  let source: any ByteSource
  /// The byte of the source that is position 0.
  let origin: Int64
  private(set) var position: Int64 = 0
  /// What went wrong in a callback, once something did.
  private(set) var failure: ByteSourceError?
  /// The number of bytes a library may still read, nil for no limit.
  ///
  /// Set while a file is opened: hostile headers must not make a library collect a whole file in
  /// memory.
  var allowance: Int64?

  /// Where reading stops for now, nil for nowhere.
  var horizon: Int64?

  init(_ source: any ByteSource, origin: Int64) {
    self.source = source
    self.origin = origin
  }

  /// The cursor behind the context pointer of a callback, which its decoder keeps alive.
  static func lent(_ context: UnsafeMutableRawPointer?) -> SourceCursor? {
    context.map { Unmanaged<SourceCursor>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The number of bytes from `origin` to the end, nil while it is not known.
  var length: Int64? {
    source.length.map { max(0, $0 - origin) }
  }

  /// Whether a read that gave nothing did so for another reason than the end.
  var isBroken: Bool {
    failure != nil || allowance ?? 1 <= 0 || position < length ?? 0
  }

  /// Reads on from the position: at least one byte, or 0 at the end and after a failure.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard failure == nil, allowance ?? 1 > 0, position < horizon ?? .max, !buffer.isEmpty else {
      return 0
    }
    do {
      let count = try source.read(at: origin + position, into: buffer)
      position += Int64(count)
      if let left = allowance { allowance = left - Int64(count) }
      return count
    } catch {
      failure = error
      return 0
    }
  }

  /// Reads until the buffer is full or the end is reached.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Moves as `fseek` does; false where there is no such place.
  func seek(by offset: Int64, from whence: Int32) -> Bool {
    let base: Int64
    switch whence {
    case 0: base = 0
    case 1: base = position
    case 2:
      guard let length else { return false }
      base = length
    default: return false
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return false }
    position = target
    return true
  }

  /// Rethrows what a callback had to keep.
  ///
  /// - Throws: `DecoderError.source` once a read failed.
  func rethrow() throws(DecoderError) {
    if let failure { throw .source(failure) }
  }
}

/// Reads from a source on behalf of a decoder.
///
/// - Throws: `DecoderError.source` with what `body` threw.
func reading<T>(_ body: () throws(ByteSourceError) -> T) throws(DecoderError) -> T {
  do {
    return try body()
  } catch {
    throw .source(error)
  }
}
