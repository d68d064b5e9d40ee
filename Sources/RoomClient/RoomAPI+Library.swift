package import RoomProtocol
package import Transport

extension RoomAPI {
  /// What became of a question for the library.
  package enum LibraryAnswer: Sendable, Equatable {
    /// It is still the one that the tag stands for.
    case unchanged
    /// Its bytes went to the receiver; the tag to ask with next time, where the server gave one.
    case whole(tag: String?)
  }

  /// Reads the library's JSON text as it arrives; it may be tens of megabytes, so that no total time
  /// limits it.
  ///
  /// - Parameters:
  ///   - tag: the tag of the listing one has; nil where there is none.
  ///   - receiver: takes the bytes, decompressed, on the HTTP client's thread.
  /// - Returns: after the last byte.
  /// - Throws: `RoomError`; a part may have gone to the receiver.
  package func library(
    unless tag: String? = nil, to receiver: any BodyReceiver
  ) async throws(RoomError) -> LibraryAnswer {
    var request = request(.library)
    request.takesCompression = true
    if let tag { request.headers.add("If-None-Match", tag) }
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await http.download(request, to: receiver)
    } catch {
      throw .transport(error)
    }
    if response.status == 304, tag != nil { return .unchanged }
    return .whole(tag: try checked(response, .library).headers["ETag"])
  }
}

extension RoomAPI {
  /// Sends a file into the server's library; no total time limits it.
  ///
  /// - Parameters:
  ///   - path: a plain file.
  ///   - name: what the server is to call it; its suffix tells the server what it is.
  ///   - progress: told how many bytes have gone and how many there are, often, on the HTTP client's
  ///     thread.
  /// - Returns: the track as the server tells it; nil where the answer does not.
  /// - Throws: `RoomError`; `.transport` with the cause `unreadable` where the file fails.
  package func upload(
    _ path: String, as name: String,
    progress: (@Sendable (_ sent: Int64, _ total: Int64) -> Void)? = nil
  ) async throws(RoomError) -> Track? {
    var request = request(.upload)
    request.upload = FileUpload(field: "file", path: path, name: name, progress: progress)
    request.hasTotalTimeout = false
    return told(try await send(.upload, request))
  }
}
