import Glibc

/// Where the bytes of an answer belong, and which version of the file they are of.
struct AnswerPlace: Equatable, Sendable {
  /// The offset of the first byte.
  var start: Int64 = 0
  /// The byte after the last one promised; nil where the answer has no length.
  var end: Int64?
  /// The bytes of the whole file; nil where the server does not say.
  var length: Int64?
  /// What tells this version of the file from another; nil where nothing does so surely.
  var validator: String?
  /// Whether the server answered with a part: it knows ranges.
  var isPart = false

  /// Reads an answer's head.
  ///
  /// - Throws: `Nonsense` where the head contradicts itself or what was asked.
  init(_ answer: TrackAnswer, to request: TrackRequest) throws(Nonsense) {
    var promised: Int64?
    if let text = answer.contentLength {
      guard let length = Int64(digits: text) else { throw Nonsense("Content-Length", text) }
      promised = length
    }
    validator = answer.validator
    guard answer.status == 206 else {
      end = promised
      length = promised
      return
    }
    isPart = true
    let text = answer.contentRange ?? ""
    guard let range = ContentRange(text), range.start == request.start ?? 0,
      request.end.map({ range.end <= $0 }) ?? true,
      promised.map({ $0 == range.end - range.start }) ?? true
    else { throw Nonsense("Content-Range", text) }
    start = range.start
    end = range.end
    length = range.length
  }

  /// A header that says what can't be.
  struct Nonsense: Error {
    var header: String
    var value: String

    init(_ header: String, _ value: String) {
      self.header = header
      self.value = String(value.prefix(100))
    }
  }
}

/// The value of a `Content-Range` header: `bytes 0-65535/200000`, or `*` for an unknown length.
private struct ContentRange {
  var start: Int64
  /// The byte after the last one.
  var end: Int64
  var length: Int64?

  init?(_ text: String) {
    guard text.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = Int64(digits: bounds[0]),
      let last = Int64(digits: bounds[1]), first <= last
    else { return nil }
    start = first
    end = last + 1
    if parts[1] != "*" {
      guard let length = Int64(digits: parts[1]), end <= length else { return nil }
      self.length = length
    }
  }
}

extension TrackAnswer {
  /// What may stand in `If-Range`: a strong tag, else a date that is strong enough (RFC 9110,
  /// sections 8.8.2.2 and 13.1.5): over a second older than the answer, so that no second version
  /// can have it too.
  var validator: String? {
    if let entityTag {
      return entityTag.hasPrefix("\"") && entityTag.count >= 2 ? entityTag : nil
    }
    guard let lastModified, let changed = Self.seconds(lastModified),
      let now = date.flatMap(Self.seconds), now - changed > 1
    else { return nil }
    return lastModified
  }

  /// The seconds since 1970 of an HTTP date (`Sun, 06 Nov 1994 08:49:37 GMT`); nil for the forms
  /// that nobody sends any more.
  private static func seconds(_ text: String) -> Int? {
    let parts = text.split(whereSeparator: { $0 == " " || $0 == ":" })
    guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: parts[2]) else {
      return nil
    }
    let numbers = [1, 3, 4, 5, 6].compactMap { Int32(parts[$0]) }
    guard numbers.count == 5 else { return nil }
    var time = tm()
    time.tm_mday = numbers[0]
    time.tm_mon = Int32(month)
    time.tm_year = numbers[1] - 1900
    time.tm_hour = numbers[2]
    time.tm_min = numbers[3]
    time.tm_sec = numbers[4]
    return timegm(&time)
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
