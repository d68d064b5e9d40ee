import Codecs
import RoomProtocol

/// Reads a file's length and tags; the id and the file name are the scanner's.
///
/// Threading: blocks on the disk, and decodes where the file does not tell its length.
///
/// - Throws: `SkippedFile` with the reason where it is no track the server can time.
@Sendable func probeTrack(_ path: String) throws(SkippedFile) -> Track {
  do {
    let info = try MediaProbe.probe(path: path)
    return Track(
      id: "unknown", title: info.tags.title, artist: info.tags.artist, album: info.tags.album,
      duration: info.duration, replayGainDB: info.tags.replayGain,
      replayPeak: info.tags.replayPeak)
  } catch {
    throw SkippedFile(error)
  }
}

/// Why a file did not become a track.
struct SkippedFile: Error, Equatable, CustomStringConvertible {
  var description: String

  init(_ error: DecoderError) {
    switch error {
    case .unsupported(let format?): description = "not a format of ours, looks like \(format)"
    case .unsupported(nil): description = "not audio we know"
    case .corrupt(let codec, let detail): description = "broken \(codec): \(detail)"
    case .source(let error): description = "can't be read: \(error)"
    }
  }
}
