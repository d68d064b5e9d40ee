import Glibc
import Platform
import Storage

/// A file that the user names, to be written.
///
/// A file is there whole or not at all. What is no file, `/dev/stdout` or a named pipe, is written
/// to, never replaced.
///
/// Threading: on a thread of its own, because a pipe may have nobody who reads it yet.
enum UsersFile {
  /// Writes a text.
  ///
  /// - Throws: `Diagnostic`; an old file stays then.
  static func write(_ text: String, to path: String) async throws(Diagnostic) {
    let result = await withCheckedContinuation { done in
      _ = NamedThread(name: "users-file") { done.resume(returning: written(text, to: path)) }
    }
    try result.get()
  }

  private static func written(_ text: String, to path: String) -> Result<Void, Diagnostic> {
    do throws(Diagnostic) {
      return .success(try writeNow(text, to: path))
    } catch {
      return .failure(error)
    }
  }

  private static func writeNow(_ text: String, to path: String) throws(Diagnostic) {
    let what = "cannot write \(path.isEmpty ? "a file without a name" : Printable.escaped(path))"
    var status = stat()
    let isThere = stat(path, &status) == 0
    switch status.st_mode & S_IFMT {
    case S_IFDIR where isThere: throw Diagnostic(.badFile, what, why: "it is a folder")
    case S_IFREG where isThere, _ where !isThere:
      do throws(FileError) {
        try AtomicFile.replace(Array(text.utf8), at: path)
      } catch {
        // The error names the unfinished file beside it.
        throw Diagnostic(errno: error.code, what)
      }
    default:
      if let code = stream(text, to: path) { throw Diagnostic(errno: code, what) }
    }
  }

  /// Writes to what takes bytes in turn; what the system says to a failure.
  private static func stream(_ text: String, to path: String) -> Int32? {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return Console.writeWhole(text, to: descriptor)
  }
}
