import Glibc
import Storage

/// The configuration on disk: read whole, and replaced whole.
struct ConfigurationFile {
  let path: String

  private static let sizeLimit = 1 << 20

  /// Reads it.
  ///
  /// - Parameter isRequired: whether somebody named it, so that it must be there.
  /// - Returns: its text; nil where there is none.
  /// - Throws: `Diagnostic` of the code `config`.
  func read(isRequired: Bool) throws(Diagnostic) -> String? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try OpenFile(path).readAll(limit: Self.sizeLimit)
    } catch {
      if error.code == ENOENT, !isRequired { return nil }
      throw unreadable(Diagnostic.text(ofErrno: error.code))
    }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let broken = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw unreadable("line \(broken + 1) is no UTF-8")
  }

  /// Changes it under a lock, so that two changes at once both stay; made where it is missing.
  ///
  /// - Parameters:
  ///   - folder: where the lock is; made where it is missing.
  ///   - change: changes the text that stands there now.
  /// - Throws: `Diagnostic`; the old file stays then.
  func change(
    lockedIn folder: String, _ change: (inout ConfigurationText) -> Void
  ) throws(Diagnostic) {
    do throws(FileError) {
      try Folder.create(folder)
    } catch {
      throw Diagnostic(error)
    }
    let lock: FileLock
    do throws(FileError) {
      lock = try FileLock(waitingFor: "\(folder)/configuration.lock")
    } catch {
      throw Diagnostic(error)
    }
    defer { withExtendedLifetime(lock) {} }
    var text = ConfigurationText(try read(isRequired: false) ?? ConfigurationTemplate.text)
    change(&text)
    do throws(FileError) {
      try Folder.create(Folder.parent(of: path))
      // A new one is for everybody to read: there is no secret in it.
      try AtomicFile.replace(Array(text.text.utf8), at: path, mode: 0o644)
    } catch {
      throw Diagnostic(error)
    }
  }

  private func unreadable(_ why: String) -> Diagnostic {
    Diagnostic(
      .config, "cannot read the configuration in \(Printable.escaped(path))", why: why)
  }
}
