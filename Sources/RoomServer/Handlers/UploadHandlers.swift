import RoomProtocol
import Transport

/// Files that people send.
extension RoomHost {
  func destination(ofBodyOf request: IncomingRequest) -> BodyDestination {
    guard Route(method: request.method, path: request.path, isEncoded: false) == .upload else {
      return .memory
    }
    if let failure = refusal(of: request) { return .refused(failure.answer.response) }
    switch capture({ try receive(request) }) {
    case .success(let upload): return .form(upload)
    case .failure(let refusal): return .refused(refusal.response)
    }
  }

  /// Decides on a file before it comes: nobody shall send one for nothing.
  private func receive(_ request: IncomingRequest) throws -> Upload {
    _ = try route(request)
    guard let folder = configuration.musicFolder else {
      throw Refusal(403, "this server has no folder for files")
    }
    guard request.contentType?.hasPrefix("multipart/form-data") == true else {
      throw Refusal(400, "a form with a file is asked for")
    }
    let limit = configuration.uploadLimit
    guard Int64(request.contentLength ?? 0) <= limit + Upload.overhead else {
      throw Upload.tooLarge(limit)
    }
    return Upload(folder: folder, limit: limit)
  }

  func upload(_ call: Call) throws -> Answer {
    guard let upload = call.sink as? Upload else {
      throw Refusal(400, "a form with a file is asked for")
    }
    if let refusal = upload.refusal { throw refusal }
    guard let file = upload.file else { throw Refusal(400, "the form has no whole file") }
    let name = upload.name
    let sender = call.session?.user.username ?? ""
    return .later(arrivals) {
      let arrival = Result { try Arrival(file, wish: name) }
      return { host in
        switch arrival {
        case .success(let arrival):
          let (track, isNew) = try host.admit(arrival)
          if isNew { host.log("\(sender) sent \(track.filename)") }
          return try .value(track, status: isNew ? 201 : 200)
        case .failure(let error as SkippedFile):
          // Whoever is told that nothing came of it finds nothing.
          file.remove()
          throw Refusal(400, "can't be played here: \(error)")
        case .failure(let error):
          throw error
        }
      }
    }
  }
}
