import RoomProtocol
import Storage
import Transport

/// The library and the bytes of its tracks.
extension RoomHost {
  func readLibrary(_ call: Call) -> OutgoingResponse {
    let (text, mark) = library.encodeAll()
    let isKnown = call.request.ifNoneMatch == mark
    var response = isKnown ? OutgoingResponse(status: 304) : OutgoingResponse(json: text)
    response.headers.add("ETag", mark)
    return response
  }

  func readTrack(_ call: Call) throws -> OutgoingResponse {
    guard let path = library[TrackID(call.route.parameter)]?.path,
      let file = try? OpenFile(path), let size = try? file.length()
    else { throw Refusal(404, "no such track") }
    let mark = "\"\(size)-\(call.route.parameter.suffix(16))\""
    // Another file stands there than the client has the beginning of.
    let isOutdated = call.request.ifRange.map { $0 != mark } ?? false
    let range = faults.ignoresRange || isOutdated ? nil : call.request.range

    var response: OutgoingResponse
    switch ByteRange(header: range, size: size) {
    case .whole:
      response = OutgoingResponse(status: 200, body: .source(region(of: file, 0..<size)))
    case .part(let part):
      response = OutgoingResponse(status: 206, body: .source(region(of: file, part)))
      let value = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
      response.headers.add("Content-Range", value)
    case .unsatisfiable:
      response = .error(416, "the track ends before that")
      response.headers.add("Content-Range", "bytes */\(size)")
      return response
    }
    response.headers.add("Content-Type", faults.contentType ?? MediaType.of(path))
    response.headers.add("Accept-Ranges", "bytes")
    response.headers.add("ETag", mark)
    applyFaults(to: &response)
    return response
  }

  private func region(of file: OpenFile, _ range: Range<Int64>) -> FileRegion {
    let region = FileRegion(file: file, range: range)
    if let corruption = faults.corruption {
      region.corrupted = corruption.bytes
      if corruption.repetition == .once { faults.corruption = nil }
    }
    return region
  }

  private func applyFaults(to response: inout OutgoingResponse) {
    response.announcesLength = !faults.omitsContentLength
    response.bytesPerSecond = faults.bytesPerSecond
    if let cut = faults.bodyCut, cut.bytes < response.body.count {
      response.cut = cut.bytes
      if cut.repetition == .once { faults.bodyCut = nil }
    }
  }
}

/// The media types of the files a library may hold.
enum MediaType {
  /// The suffixes the server takes, and what it calls them.
  static let known = [
    "mp3": "audio/mpeg", "ogg": "audio/ogg", "oga": "audio/ogg", "flac": "audio/flac",
    "wav": "audio/wav",
    "m4a": "audio/mp4", "aac": "audio/aac", "opus": "audio/ogg", "wma": "audio/x-ms-wma",
    "mp4": "audio/mp4",
  ]

  /// The suffixes of files that people may send.
  static let uploadable = Set(known.keys).subtracting(["oga"])

  /// The type of a file, by its suffix.
  static func of(_ path: String) -> String {
    known[suffix(of: path)] ?? "application/octet-stream"
  }

  /// What follows the last dot, in small letters.
  static func suffix(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
