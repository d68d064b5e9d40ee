import Glibc
import Storage

/// Names for files that come from outside.
enum FileName {
  private static let byteLimit = 200

  /// A name that stays in its folder, is not hidden and holds no control characters, whatever was
  /// wished for.
  ///
  /// - Parameter wish: a name or a path of any system.
  /// - Returns: a name whose suffix is in small letters.
  static func safe(_ wish: String) -> String {
    let last = wish.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    var scalars = String.UnicodeScalarView()
    scalars.append(
      contentsOf: last.unicodeScalars.filter { $0.properties.generalCategory != .control })
    let name = String(scalars)
    let suffix = MediaType.suffix(of: name)
    let stem = suffix.isEmpty ? name : String(name.dropLast(suffix.count + 1))
    let bare = String(stem.drop { $0 == "." || $0.isWhitespace }).trimmed
    var kept = ""
    for character in bare {
      guard kept.utf8.count + character.utf8.count <= byteLimit else { break }
      kept.append(character)
    }
    if kept.isEmpty { kept = "track" }
    return suffix.isEmpty ? kept : "\(kept).\(suffix)"
  }

  /// Moves a file into a folder, under a name nobody has there: `a.mp3`, else `a (2).mp3` ...
  ///
  /// - Returns: the name it got.
  /// - Throws: `FileError`.
  static func place(_ path: String, in folder: String, as wish: String) throws(FileError) -> String
  {
    let name = safe(wish)
    let suffix = MediaType.suffix(of: name)
    let stem = suffix.isEmpty ? name : String(name.dropLast(suffix.count + 1))
    for count in 1...10_000 {
      let candidate = count == 1 ? name : "\(stem) (\(count)).\(suffix)"
      let target = "\(folder)/\(candidate)"
      do throws(FileError) {
        // Taken first, so that no other file of that name is lost.
        _ = try OpenFile(target, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
      } catch {
        if error.code == EEXIST { continue }
        throw error
      }
      guard rename(path, target) == 0 else {
        let code = errno
        unlink(target)
        throw FileError(operation: "rename", path: target, code: code)
      }
      return candidate
    }
    throw FileError(operation: "rename", path: "\(folder)/\(name)", code: EEXIST)
  }
}

/// A file under a hidden name, which scans pass over; what is still there at the end is removed.
final class HiddenFile: Sendable {
  /// What such names begin with.
  static let prefix = ".arriving-"

  let path: String

  /// Makes up a name in a folder.
  ///
  /// - Parameters:
  ///   - folder: the music folder, so that the file can be renamed later.
  ///   - suffix: of the name, without the dot.
  init(in folder: String, suffix: String) {
    path = "\(folder)/\(Self.prefix)\(Hex.string(SecureRandom.bytes(8))).\(suffix)"
  }

  deinit {
    remove()
  }

  /// Removes the file, if it is still there.
  func remove() {
    unlink(path)
  }

  /// Removes what a run that was broken off left in a folder.
  static func sweep(_ folder: String) {
    for name in (try? Folder.names(in: folder)) ?? [] where name.hasPrefix(prefix) {
      if unlink("\(folder)/\(name)") != 0 { HiddenFolder.remove("\(folder)/\(name)") }
    }
  }
}

/// A folder under a hidden name, for files on their way; removed at the end with all it holds.
final class HiddenFolder: Sendable {
  let path: String

  /// Makes the folder.
  ///
  /// - Throws: `FileError`.
  init(in folder: String) throws(FileError) {
    path = "\(folder)/\(HiddenFile.prefix)\(Hex.string(SecureRandom.bytes(8)))"
    try Folder.create(path)
  }

  deinit {
    Self.remove(path)
  }

  /// Removes a folder and the files in it.
  static func remove(_ path: String) {
    for name in (try? Folder.names(in: path)) ?? [] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
