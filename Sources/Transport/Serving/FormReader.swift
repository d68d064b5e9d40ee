import Glibc

/// Takes a multipart form (RFC 7578) apart as it arrives, and gives its files to a sink.
///
/// It keeps no more than a boundary's length of a file. libwebsockets has a parser of its own, which
/// ends a file's name at a `;` inside its quotes.
struct FormReader {
  private enum State {
    /// Before the first boundary, or in a part without a file.
    case skipping
    case inFile
    /// Right behind a boundary: `--` ends the form, a line's end begins a part.
    case afterBoundary
    case inHeaders
    case ended
  }

  /// The most bytes of a part's headers, and of what may stand between a boundary and its line's end.
  private static let headerLimit = 16 * 1024

  let sink: any FormSink
  /// Whether the bytes can be no form; what comes then is passed over.
  private(set) var hasFailed = false
  private let boundary: [UInt8]
  private var state = State.skipping
  /// What has come and was not looked at yet.
  ///
  /// The first boundary stands at the start of a line too.
  private var waiting: [UInt8] = [13, 10]

  /// Starts reading.
  ///
  /// - Returns: nil where the type is no multipart form's.
  init?(_ sink: any FormSink, contentType: String?) {
    guard let contentType, let (type, parameters) = HeaderParameters.split(contentType),
      type.lowercased() == "multipart/form-data", let boundary = parameters["boundary"],
      (1...200).contains(boundary.utf8.count)
    else { return nil }
    self.sink = sink
    self.boundary = Array("\r\n--\(boundary)".utf8)
  }

  /// Takes the next bytes of the body.
  mutating func take(_ piece: UnsafeRawBufferPointer) {
    guard !hasFailed, state != .ended else { return }
    waiting.append(contentsOf: piece)
    var start = 0
    while !hasFailed, let next = step(from: start) { start = next }
    waiting.removeFirst(min(start, waiting.count))
  }

  /// Goes on from a place in what waits.
  ///
  /// - Returns: the place after what was used up; nil where more must come first.
  private mutating func step(from start: Int) -> Int? {
    switch state {
    case .skipping, .inFile: return content(from: start)
    case .afterBoundary: return afterBoundary(from: start)
    case .inHeaders: return headers(from: start)
    case .ended: return nil
    }
  }

  private mutating func content(from start: Int) -> Int? {
    let end = find(boundary, from: start)
    // The last bytes may be the first ones of a boundary.
    let safe = end ?? max(start, waiting.count - boundary.count + 1)
    if state == .inFile, safe > start {
      let sink = sink
      waiting.withUnsafeBytes {
        sink.fileWent(on: UnsafeRawBufferPointer(rebasing: $0[start..<safe]))
      }
    }
    guard let end else { return safe > start ? safe : nil }
    if state == .inFile { sink.fileEnded() }
    state = .afterBoundary
    return end + boundary.count
  }

  private mutating func afterBoundary(from start: Int) -> Int? {
    guard waiting.count >= start + 2 else { return nil }
    if waiting[start] == UInt8(ascii: "-"), waiting[start + 1] == UInt8(ascii: "-") {
      state = .ended
      return waiting.count
    }
    // The line's end stays: where a part has no headers, it is their end.
    guard let end = find([13, 10], from: start) else { return wait(from: start) }
    state = .inHeaders
    return end
  }

  private mutating func headers(from start: Int) -> Int? {
    guard let end = find([13, 10, 13, 10], from: start) else { return wait(from: start) }
    let text = String(decoding: waiting[start..<end], as: UTF8.self)
    state = .skipping
    for line in text.split(separator: "\r\n") {
      guard let colon = line.firstIndex(of: ":"),
        line[..<colon].lowercased() == "content-disposition",
        let (_, parameters) = HeaderParameters.split(line[line.index(after: colon)...]),
        let name = parameters["filename"]
      else { continue }
      state = .inFile
      sink.fileBegan(field: parameters["name"] ?? "", name: name)
      break
    }
    return end + 4
  }

  private mutating func wait(from start: Int) -> Int? {
    hasFailed = waiting.count - start > Self.headerLimit
    return nil
  }

  private func find(_ pattern: [UInt8], from start: Int) -> Int? {
    waiting.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress else { return nil }
      var place = start
      while place + pattern.count <= bytes.count {
        let last = bytes.count - pattern.count
        guard let hit = memchr(base + place, Int32(pattern[0]), last - place + 1) else {
          return nil
        }
        if memcmp(hit, pattern, pattern.count) == 0 { return UnsafeRawPointer(hit) - base }
        place = UnsafeRawPointer(hit) - base + 1
      }
      return nil
    }
  }
}
