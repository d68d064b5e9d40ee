import Glibc
import PCM

/// A file descriptor that takes frames as 16-bit little-endian stereo.
///
/// Functions return false where the system refused; `errno` says why.
struct SampleFile: ~Copyable {
  private var descriptor: Int32 = -1
  private var isOwned = false
  private var encoded = EncodedBlock(.int16, frames: 0)
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
    return descriptor >= 0
  }

  /// Makes room for converting `frames` at a time.
  mutating func reserve(frames: Int) { encoded = EncodedBlock(.int16, frames: frames) }

  /// Writes frames of silence.
  mutating func silence(frames count: FrameCount) -> Bool {
    var left = Int(count) * 4
    guard left > 0 else { return true }
    _ = encoded.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    while left > 0 {
      let part = min(left, encoded.bytes.count)
      guard put(UnsafeRawBufferPointer(rebasing: encoded.bytes[..<part])) else { return false }
      left -= part
    }
    frames += count
    return true
  }

  /// Converts and writes frames.
  mutating func write(_ samples: UnsafePointer<Float>, frames count: Int) -> Bool {
    guard put(encoded.encode(samples, frames: count)) else { return false }
    frames += FrameCount(count)
    return true
  }

  /// Writes bytes at the start of a seekable file, leaving the place of writing behind them.
  mutating func overwriteStart(_ bytes: [UInt8]) -> Bool {
    let end = lseek(descriptor, 0, SEEK_END)
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { return false }
    return lseek(descriptor, max(end, off_t(bytes.count)), SEEK_SET) >= 0
  }

  private func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
      if count > 0 {
        done += count
      } else if errno == EAGAIN {
        // A reader that does not read: the room goes on, so the frames are dropped after a while.
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&wait, 1, 200) == 0 { return true }
      } else if errno != EINTR {
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
