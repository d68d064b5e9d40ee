import Glibc
import RoomProtocol
import Storage
import Transport

/// A file that comes over the line: the form's first one in its field `file`.
///
/// It is written as it comes, so that no file is held in memory.
///
/// Threading: service thread only.
final class Upload: FormSink {
  static let field = "file"
  /// What a form may hold beside its file.
  static let overhead: Int64 = 64 * 1024

  private static let suffixes = MediaType.uploadable.sorted().map { ".\($0)" }
    .joined(separator: " ")

  /// What its sender calls it.
  private(set) var name = ""
  /// The file, once it is whole.
  private(set) var file: HiddenFile?
  /// Why it is not taken.
  private(set) var refusal: Refusal?

  private let folder: String
  private let limit: Int64
  private var hasBegun = false
  private var arriving: (file: HiddenFile, output: OpenFile)?
  private var count: Int64 = 0

  init(folder: String, limit: Int64) {
    self.folder = folder
    self.limit = limit
  }

  func fileBegan(field: String, name: String) {
    guard field == Self.field, !hasBegun else { return }
    hasBegun = true
    self.name = name
    let suffix = MediaType.suffix(of: name)
    guard MediaType.uploadable.contains(suffix) else {
      refusal = Refusal(400, "a file ends with \(Self.suffixes)")
      return
    }
    let file = HiddenFile(in: folder, suffix: suffix)
    keep { () throws(FileError) in
      arriving = (file, try OpenFile(file.path, flags: O_WRONLY | O_CREAT | O_EXCL))
    }
  }

  func fileWent(on bytes: UnsafeRawBufferPointer) {
    guard let arriving else { return }
    guard count + Int64(bytes.count) <= limit else {
      self.arriving = nil
      refusal = Upload.tooLarge(limit)
      return
    }
    keep { () throws(FileError) in try arriving.output.write(bytes, at: count) }
    count += Int64(bytes.count)
  }

  func fileEnded() {
    if refusal == nil { file = arriving?.file }
    arriving = nil
  }

  static func tooLarge(_ limit: Int64) -> Refusal {
    Refusal(413, "a file may have \(limit >> 20) MiB at most")
  }

  private func keep(_ write: () throws(FileError) -> Void) {
    do throws(FileError) {
      try write()
    } catch {
      arriving = nil
      refusal = error.refusal
    }
  }
}

extension FileError {
  /// What a client is told when its file can't be kept.
  var refusal: Refusal {
    code == ENOSPC || code == EDQUOT
      ? Refusal(507, "the server's disk is full") : Refusal(500, "the file can't be kept")
  }
}
