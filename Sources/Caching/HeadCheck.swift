import RoomProtocol
import Storage
import Synchronization

/// The check of a track's first 64 KB against its id (protocol.md 3).
///
/// An id is opaque, but one of the form `sha256:` and 64 hexadecimal digits can be held against the
/// bytes. Where it does not match, the beginning is fetched once more: other bytes are a broken
/// line, the same bytes a server with another rule.
final class HeadCheck: DownloadSink {
  /// How much of a file an id is made of.
  static let length: Int64 = 65_536

  private struct State {
    var offset: Int64 = 0
    var agrees = true
  }

  private let file: OpenFile
  private let wanted: Int64
  private let state = Mutex(State())

  /// Compares what is fetched with the beginning of a file.
  init(against file: OpenFile, length: Int64) {
    self.file = file
    wanted = min(length, Self.length)
  }

  /// The digest that an id promises for the first 64 KB; nil where it has another form.
  static func promisedDigest(of id: TrackID) -> String? {
    let prefix = "sha256:"
    guard id.rawValue.hasPrefix(prefix) else { return nil }
    let digits = id.rawValue.dropFirst(prefix.count)
    let isHex = digits.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    return digits.utf8.count == 64 && isHex ? String(digits) : nil
  }

  /// Whether the whole beginning has come, so that the rest was not wanted.
  var isDone: Bool { state.withLock { $0.offset >= wanted || !$0.agrees } }

  /// Whether it was the same bytes.
  var agrees: Bool { state.withLock { $0.agrees && $0.offset >= wanted } }

  func response(_ answer: TrackAnswer) {}

  var isFull: Bool { false }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      let count = Int(min(Int64(bytes.count), wanted - state.offset))
      let block = UnsafeRawBufferPointer(rebasing: bytes[..<max(0, count)])
      state.agrees = state.agrees && (try? file.holds(block, at: state.offset)) == true
      state.offset += Int64(block.count)
      return state.agrees && state.offset < wanted
    }
  }
}
