package import RoomProtocol
package import Storage

/// Why a track could not be had.
package enum CacheError: Error {
  /// The download was called off.
  case cancelled
  /// The server promised another number of bytes than it sent, twice.
  case wrongLength(track: TrackID, promised: Int64, received: Int64)
  /// A second try brought other bytes than the first: the file or the line changed in between.
  case changed(track: TrackID)
  /// The beginning does not match the id, and differs from one fetch to the next.
  case brokenLine(track: TrackID)
  /// The head of the server's answer says what can't be: which header, and its value.
  case badAnswer(track: TrackID, header: String, value: String)
  /// The fetcher's own error.
  case fetch(track: TrackID, any Error)
  /// Neither the cache nor a temporary file takes the bytes.
  case file(FileError)
  /// Another process, or an earlier download of ours, is at it.
  case busy(track: TrackID)
  /// The track came whole but could not be kept, so there is no file to name.
  case notKept(track: TrackID)
  /// The track is not here, and nothing brings it.
  case notHere(track: TrackID)
  /// Not even with all gone that may is there room for it: so many bytes are missing.
  case noRoom(track: TrackID, missing: Int64)
}
