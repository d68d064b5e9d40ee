import RoomProtocol

/// A playlist as an m3u8 file: what we write, and what of anybody's we can read.
///
/// Pure. An entry's place is the address of the track's audio on its server, so that any player can
/// play the file and its id comes back exactly; what others write there is a path.
struct M3U: Equatable, Sendable {
  /// One line of the list.
  struct Entry: Equatable, Sendable {
    /// The track's id, where the place is the address of a room server's track.
    var id: TrackID?
    /// That server's address.
    var server: String?
    /// Artist and title as the file has them, nil where it has none.
    var title: String?
    /// Seconds, nil where they are not known.
    var duration: Double?
    /// The path or address.
    var place: String

    /// The name of the file, without folders and extension.
    var stem: String {
      let name = place.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
      let decoded = place.contains("://") ? PathSegment.decode(name) ?? String(name) : String(name)
      guard let dot = decoded.lastIndex(of: "."), dot != decoded.startIndex else { return decoded }
      return String(decoded[..<dot])
    }

    /// What people read of it, not escaped.
    var name: String { title ?? (stem.isEmpty ? place : stem) }
  }

  /// The playlist's name, where the file has one.
  var name: String?
  /// The playlist's description, where the file has one.
  var description: String?
  var entries: [Entry]
}

// MARK: - Writing

extension M3U {
  /// A playlist of a server's tracks.
  ///
  /// - Parameters:
  ///   - playlist: the playlist.
  ///   - server: the server's address, without a slash at the end.
  ///   - track: what the library knows of an id.
  init(_ playlist: Playlist, server: String, track: (TrackID) -> Track?) {
    name = playlist.name
    description = playlist.description.isEmpty ? nil : playlist.description
    entries = playlist.trackIDs.map { id in
      let track = track(id)
      let artist = track?.artist.map { "\($0) - " } ?? ""
      return Entry(
        id: id, server: server, title: track.map { artist + $0.displayTitle },
        duration: track?.duration,
        place: server + Route.track(id).path)
    }
  }

  /// The file's text.
  var text: String {
    var lines = ["#EXTM3U"]
    if let name { lines.append("#PLAYLIST:\(Self.flat(name))") }
    if let description { lines.append("#DESCRIPTION:\(Self.flat(description))") }
    for entry in entries {
      if entry.title != nil || entry.duration != nil {
        lines.append("#EXTINF:\(Self.seconds(entry.duration)),\(Self.flat(entry.title ?? ""))")
      }
      lines.append(Self.flat(entry.place))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Milliseconds are what a server may know; -1 is what the format has for an unknown length.
  private static func seconds(_ duration: Double?) -> String {
    guard let duration, duration < 1e12 else { return "-1" }
    let rounded = (duration * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? String(Int64(rounded)) : "\(rounded)"
  }

  /// A text without what would end its line, or what a reader would cut off.
  static func flat(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { line.append(Printable.isUnsafe(scalar) ? " " : scalar) }
    return trimmed(String(line))
  }

  fileprivate static func trimmed(_ text: String) -> String {
    var rest = text.unicodeScalars[...]
    while let first = rest.first, isBlank(first) { rest.removeFirst() }
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(rest)
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\u{FEFF}"
  }
}

// MARK: - Reading

extension M3U {
  /// Why bytes are no playlist.
  enum ReadingError: Error, Equatable {
    /// There are bytes in it that no text has.
    case binary
    /// It is text of another kind, such as a web page.
    case another(String)
  }

  /// Reads a file.
  ///
  /// Any line ends, a byte order mark, and in the place of UTF-8 what Windows calls ANSI (Latin-1 with
  /// quotes and dashes) are taken; comments that are not known are passed over.
  ///
  /// - Throws: `ReadingError`.
  init(_ bytes: [UInt8]) throws(ReadingError) {
    let text = try Self.text(of: bytes)
    entries = []
    var title: String?
    var duration: Double?
    for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
      let line = Self.trimmed(String(line))
      guard !line.isEmpty else { continue }
      if let value = Self.value(of: "#EXTINF:", line) {
        (duration, title) = Self.information(value)
      } else if let value = Self.value(of: "#PLAYLIST:", line) {
        name = name ?? value
      } else if let value = Self.value(of: "#DESCRIPTION:", line) {
        description = description ?? value
      } else if line.utf8.first != UInt8(ascii: "#") {
        let origin = Self.origin(of: line)
        entries.append(
          Entry(
            id: origin?.id, server: origin?.server, title: title, duration: duration, place: line))
        (title, duration) = (nil, nil)
      }
    }
  }

  private static let mostLines = 1_000_000

  private static func text(of bytes: [UInt8]) throws(ReadingError) -> String {
    if let text = utf16(bytes) { return text }
    // A control character other than blanks and line ends (and DOS's end of file) is in no text.
    let isBinary = bytes.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) && $0 != 0x1A }
    if isBinary { throw .binary }
    // Half of them may be places: more than any library has, and than memory should be given to.
    guard bytes.count(where: { $0 == 0x0A || $0 == 0x0D }) <= Self.mostLines else {
      throw .another("it has more than \(Self.mostLines) lines")
    }
    let text = String(validating: bytes, as: UTF8.self) ?? windows(bytes)
    let start = trimmed(String(text.prefix(200))).lowercased()
    if start.hasPrefix("<") { throw .another("it is XML or a web page") }
    if start.hasPrefix("[playlist]") { throw .another("it is a pls file") }
    if start.hasPrefix("{") { throw .another("it is JSON") }
    return text
  }

  /// What Windows calls Unicode: two bytes a unit, after a mark that tells their order.
  private static func utf16(_ bytes: [UInt8]) -> String? {
    let mark = Array(bytes.prefix(2))
    guard mark == [0xFF, 0xFE] || mark == [0xFE, 0xFF], bytes.count % 2 == 0 else { return nil }
    let (low, high) = mark == [0xFF, 0xFE] ? (0, 1) : (1, 0)
    let units = stride(from: 2, to: bytes.count, by: 2).map { place in
      UInt16(bytes[place + low]) | UInt16(bytes[place + high]) << 8
    }
    return String(validating: units, as: UTF16.self)
  }

  /// Windows 1252: Latin-1, where that has only control characters these.
  private static func windows(_ bytes: [UInt8]) -> String {
    let marks = Array("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
    var text = String.UnicodeScalarView()
    for byte in bytes {
      text.append((0x80...0x9F).contains(byte) ? marks[Int(byte) - 0x80] : Unicode.Scalar(byte))
    }
    return String(text)
  }

  /// What stands behind a keyword, whose letters' case does not count.
  ///
  /// By bytes: a mark that joins the letter before it must not hide the colon.
  private static func value(of keyword: String, _ line: String) -> String? {
    let count = keyword.utf8.count
    guard String(decoding: line.utf8.prefix(count), as: UTF8.self).uppercased() == keyword else {
      return nil
    }
    let value = trimmed(String(decoding: line.utf8.dropFirst(count), as: UTF8.self))
    return value.isEmpty ? nil : value
  }

  /// `123 key="value",Artist - Title`: the seconds and the title.
  private static func information(_ value: String) -> (Double?, String?) {
    var isQuoted = false
    // Some write attributes before the comma; a quoted comma in one is not the comma.
    let outside = value.unicodeScalars.firstIndex { scalar in
      if scalar == "\"" { isQuoted.toggle() }
      return scalar == "," && !isQuoted
    }
    let comma = outside ?? value.unicodeScalars.firstIndex(of: ",")
    let head = value[..<(comma ?? value.endIndex)]
    let title = comma.map { trimmed(String(value.unicodeScalars[$0...].dropFirst())) } ?? ""
    let number = head.prefix { !$0.isWhitespace }
    let seconds = Double(number).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    return (seconds, title.isEmpty ? nil : title)
  }

  /// Server and id in the address of a room server's track.
  private static func origin(of place: String) -> (server: String, id: TrackID)? {
    guard place.contains("://") else { return nil }
    let parts = place.prefix { $0 != "?" && $0 != "#" }
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 6,
      Route(method: "GET", path: "/" + parts.suffix(3).joined(separator: "/"))?.endpoint == .track,
      let id = PathSegment.decode(parts[parts.count - 1])
    else { return nil }
    return (parts.dropLast(3).joined(separator: "/"), TrackID(id))
  }
}
