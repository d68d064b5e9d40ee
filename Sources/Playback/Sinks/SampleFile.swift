import Glibc
import PCM

/// A file descriptor that takes frames as 16-bit little-endian stereo.
///
/// Functions return false where the system refused; `errno` says why.
struct SampleFile: ~Copyable {
  private var descriptor: Int32 = -1
  private var isOwned = false
  private var encoded = EncodedBlock(.int16, frames: 0)
  /// Bytes taken of a frame whose rest was dropped.
  private var begun = 0
  /// Frames written so far.
  private(set) var frames: FrameCount = 0

  /// Creates a file, or empties it.
  mutating func create(_ path: String) -> Bool {
    take(Glibc.open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0o666), owned: true)
  }

  /// Opens a named pipe for writing, making it where there is none; without a reader: ENXIO.
  mutating func openPipe(_ path: String) -> Bool {
    if mkfifo(path, 0o666) != 0 && errno != EEXIST { return false }
    return take(Glibc.open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC), owned: true)
  }

  /// Writes to a descriptor that is somebody else's, such as 1.
  mutating func use(_ descriptor: Int32) -> Bool { take(descriptor, owned: false) }

  private mutating func take(_ descriptor: Int32, owned: Bool) -> Bool {
    close()
    self.descriptor = descriptor
    isOwned = owned
    frames = 0
    begun = 0
    return descriptor >= 0
  }

  /// Makes room for converting `frames` at a time.
  mutating func reserve(frames: Int) { encoded = EncodedBlock(.int16, frames: frames) }

  /// Writes frames of silence.
  ///
  /// - Parameters:
  ///   - count: how many; 0 does nothing.
  ///   - deadline: when a reader that has no room is waited for no longer.
  /// - Returns: false where the system refused.
  mutating func silence(
    frames count: FrameCount, until deadline: ContinuousClock.Instant = .now
  ) -> Bool {
    var left = Int(count) * 4
    guard left > 0 else { return true }
    _ = encoded.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    while left > 0 {
      let part = min(left, encoded.bytes.count)
      let bytes = UnsafeRawBufferPointer(rebasing: encoded.bytes[..<part])
      guard put(bytes, until: deadline) else { return false }
      left -= part
    }
    frames += count
    return true
  }

  /// Converts and writes frames.
  ///
  /// - Parameters:
  ///   - samples: interleaved stereo.
  ///   - count: the frames, at most as many as room was made for.
  ///   - deadline: when a reader that has no room is waited for no longer: what it then does not
  ///     take is dropped, in whole frames.
  /// - Returns: false where the system refused.
  mutating func write(
    _ samples: UnsafePointer<Float>, frames count: Int,
    until deadline: ContinuousClock.Instant = .now
  ) -> Bool {
    guard put(encoded.encode(samples, frames: count), until: deadline) else { return false }
    frames += FrameCount(count)
    return true
  }

  /// Writes bytes at the start of a seekable file, leaving the place of writing behind them.
  mutating func overwriteStart(_ bytes: [UInt8]) -> Bool {
    let end = lseek(descriptor, 0, SEEK_END)
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { return false }
    return lseek(descriptor, max(end, off_t(bytes.count)), SEEK_SET) >= 0
  }

  private mutating func put(
    _ bytes: UnsafeRawBufferPointer, until deadline: ContinuousClock.Instant
  ) -> Bool {
    // A frame that was begun is finished with bytes of the next one: what follows is whole again.
    var done = begun
    begun = 0
    while done < bytes.count {
      // Looked at before each piece, since a descriptor of somebody else's may block. A reader that
      // does not read must not hold up the room, so what it has no room for is dropped.
      var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let wait = max(.zero, deadline - .now).wholeNanoseconds / 1_000_000
      let isReady = poll(&look, 1, Int32(clamping: wait))
      if isReady == 0 {
        begun = done % encoded.bytesPerFrame
        return true
      }
      let part = min(bytes.count - done, Int(PIPE_BUF))
      let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), part)
      if count > 0 {
        done += count
      } else if errno != EAGAIN && errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Gives the descriptor back; one that is somebody else's stays open.
  mutating func close() {
    if isOwned && descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  deinit { if isOwned && descriptor >= 0 { Glibc.close(descriptor) } }
}
