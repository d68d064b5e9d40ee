import Glibc
import RoomProtocol
import Storage

/// What a part knows of itself, as its `.map` file tells it: which bytes are there, and of what.
///
/// The file is a line of JSON that names the track, then a line for each state, the last whole one
/// of which counts: a kill in the middle of a line costs that line. No line is ever changed.
struct PartRecord: Equatable, Sendable {
  /// The bytes that were written.
  var ranges = ByteRanges()
  /// Those of them that were flushed to the disk: after a reboot the others may be anything.
  var flushed = ByteRanges()
  /// The bytes of the whole file, where the server said so.
  var expected: Int64?
  /// What tells this version of the file from another.
  var validator: String?
  /// What the server called it.
  var contentType: String?

  /// The line of a state, its end included; the written bytes belong to the system's run `boot`.
  func line(boot: String) -> String {
    var members: [JSONValue.Member] = [
      .init("boot", .text(boot)), .init("ranges", .text(ranges.text)),
      .init("flushed", .text(flushed.text)),
    ]
    if let expected { members.append(.init("expected", .integer(expected))) }
    if let validator { members.append(.init("validator", .text(validator))) }
    if let contentType { members.append(.init("content_type", .text(contentType))) }
    return JSONValue.object(members).json + "\n"
  }

  /// The line that names the track, its end included.
  static func heading(_ key: TrackKey) -> String {
    JSONValue.object([
      .init("server", .text(key.server)), .init("id", .text(key.track.rawValue)),
    ]).json + "\n"
  }

  /// Reads a `.map` file.
  ///
  /// - Parameters:
  ///   - text: its bytes.
  ///   - boot: the system's present run.
  /// - Returns: the track and its last state; nil where the file is none.
  static func read(_ text: [UInt8], boot: String) -> (key: TrackKey, record: PartRecord)? {
    let newline = UInt8(ascii: "\n")
    // What follows the last line end was never finished.
    let lines = text.split(separator: newline, omittingEmptySubsequences: false).dropLast()
    guard let first = lines.first, let heading = JSONValue(json: first),
      let server = heading["server"].text, let id = heading["id"].text
    else { return nil }
    let key = TrackKey(server: server, track: TrackID(id))
    for line in lines.dropFirst().reversed() {
      if let record = PartRecord(line: line, boot: boot) { return (key, record) }
    }
    return (key, PartRecord())
  }

  private init?(line: some Collection<UInt8>, boot: String) {
    guard let state = JSONValue(json: line),
      let ranges = state["ranges"].text.flatMap(ByteRanges.init(text:)),
      let flushed = state["flushed"].text.flatMap(ByteRanges.init(text:))
    else { return nil }
    self.ranges = state["boot"].text == boot ? ranges : flushed
    self.flushed = flushed
    expected = state["expected"].integer.map(Int64.init)
    validator = state["validator"].text
    contentType = state["content_type"].text
  }

  init() {}
}

/// The system's present run, which no other has the name of.
let bootID: String = {
  let file = try? OpenFile("/proc/sys/kernel/random/boot_id")
  var bytes = [UInt8](repeating: 0, count: 36)
  let count = bytes.withUnsafeMutableBytes { (try? file?.read(into: $0, at: 0)) ?? 0 }
  return String(decoding: bytes[..<count], as: UTF8.self)
}()
