import Glibc
import RoomProtocol
import Storage

/// A file that is whole and is a track, before it has its place in the music folder.
struct Arrival: Sendable {
  /// What it is to be called.
  var wish: String
  var file: HiddenFile
  var scanned: ScannedFile

  /// Looks at a file.
  ///
  /// Threading: blocks on the disk; runs beside the service thread.
  ///
  /// - Throws: `SkippedFile` where it is no track, `FileError` where it can't be read.
  init(_ file: HiddenFile, wish: String) throws {
    self.wish = wish
    self.file = file
    let opened = try OpenFile(file.path)
    // Before it gets a name that stays.
    try opened.synchronize()
    var status = stat()
    guard lstat(file.path, &status) == 0 else {
      throw FileError(operation: "lstat", path: file.path, code: errno)
    }
    scanned = try ScannedFile(
      path: wish, at: file.path, status: status, probe: probeTrack)
  }
}

extension RoomHost {
  /// Gives a file its place in the music folder and the library, and tells everyone.
  ///
  /// - Returns: the track, and whether it is new; a file whose id is known already is dropped.
  /// - Throws: `FileError`.
  func admit(_ arrival: Arrival) throws -> (track: Track, isNew: Bool) {
    if let entry = library[arrival.scanned.track.id], entry.path != nil {
      arrival.file.remove()
      return (entry.track, false)
    }
    guard let folder = configuration.musicFolder else {
      throw FileError(operation: "rename", path: arrival.wish, code: ENOENT)
    }
    var file = arrival.scanned
    file.path = try FileName.place(arrival.file.path, in: folder, as: arrival.wish)
    file.track.filename = file.path
    chmod("\(folder)/\(file.path)", 0o644)
    keep(arrived: file)
    return (file.track, true)
  }
}
