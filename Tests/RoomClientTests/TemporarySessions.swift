import Glibc
import RoomClient
import Storage

/// A folder for sessions that a test makes and removes.
struct TemporarySessions {
  /// The folder that holds the sessions' folder.
  let root: String
  var folder: String { "\(root)/sessions" }

  init() throws {
    var template = Array("/tmp/blastoise-sessions-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw FileError(operation: "mkdtemp", path: "/tmp", code: errno)
    }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A store as another process would have it.
  func make() -> SessionStore { SessionStore(folder: folder) }

  func remove() {
    for name in (try? Folder.names(in: folder)) ?? [] { unlink("\(folder)/\(name)") }
    rmdir(folder)
    rmdir(root)
  }
}
