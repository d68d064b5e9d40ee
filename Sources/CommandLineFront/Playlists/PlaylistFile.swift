import Glibc
import Platform
import Storage

/// Reads playlist files, from the disk or from standard input.
enum PlaylistFile {
  /// More than any playlist has: 100,000 entries take about 20 MB.
  private static let limit = 64 << 20

  /// Reads a file; `-` is standard input.
  ///
  /// - Throws: `Diagnostic`: `no_file`, `bad_file`.
  static func read(_ path: String) async throws(Diagnostic) -> M3U {
    let bytes = await contents(path)
    let what = path == "-" ? "cannot read standard input" : "cannot read \(Printable.escaped(path))"
    switch bytes {
    case .failure(let error) where error.code == EISDIR:
      throw Diagnostic(.badFile, what, why: "it is a folder")
    case .failure(let error) where error.code == EFBIG:
      throw Diagnostic(.badFile, what, why: "it is no playlist: larger than \(limit >> 20) MiB")
    case .failure(let error): throw Diagnostic(errno: error.code, what)
    case .success(let bytes):
      do throws(M3U.ReadingError) {
        return try M3U(bytes)
      } catch {
        switch error {
        case .binary: throw Diagnostic(.badFile, what, why: "it is no playlist, but binary data")
        case .another(let kind): throw Diagnostic(.badFile, what, why: "it is no m3u8: \(kind)")
        }
      }
    }
  }

  /// The bytes, read on a thread that may block: standard input, or a named pipe.
  private static func contents(_ path: String) async -> Result<[UInt8], FileError> {
    await withCheckedContinuation { done in
      _ = NamedThread(name: "playlist-file") { done.resume(returning: bytes(of: path)) }
    }
  }

  private static func bytes(of path: String) -> Result<[UInt8], FileError> {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      return .failure(FileError(operation: "open", path: path, code: errno))
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        return .failure(FileError(operation: "read", path: path, code: errno))
      }
      if count == 0 { return .success(bytes) }
      bytes += block[..<count]
      if bytes.count > limit {
        return .failure(FileError(operation: "read", path: path, code: EFBIG))
      }
    }
  }
}
