import Glibc
import Platform
import RoomProtocol
import Storage
import Transport

/// Getting tracks from elsewhere.
extension RoomHost {
  /// The program, nil where it is not wanted, not there, or has no folder to write to.
  var importProgram: ImportProgram? {
    guard configuration.musicFolder != nil else { return nil }
    return configuration.importProgram.flatMap { ImportProgram($0) }
  }

  /// Makes jobs wait, and starts what may start.
  func enqueue(_ items: [FetchItem], of owner: User, playlist: PlaylistID? = nil) -> [ImportJob] {
    let new = items.enumerated().map { rank, item in
      ImportJob(
        id: FetchID(Hex.string(SecureRandom.bytes(6))), url: item.url, owner: owner,
        title: item.title, place: playlist.map { ImportJob.Place(playlist: $0, rank: rank) })
    }
    imports.jobs += new
    startImports()
    return new.map { imports[$0.id] ?? $0 }
  }

  private func startImports() {
    while imports.running.count < max(1, configuration.importWorkers), let id = imports.next {
      start(id)
    }
    imports.forget()
  }

  private func start(_ id: FetchID) {
    guard let program = importProgram, let music = configuration.musicFolder else {
      return finish(id, .failure(ImportProgram.Failure(reason: "the import program is gone")))
    }
    guard let job = imports[id] else { return }
    let folder: HiddenFolder
    do {
      folder = try HiddenFolder(in: music)
    } catch {
      return finish(id, .failure(ImportProgram.Failure(reason: error.refusal.message)))
    }
    let process = program.download(job.url, into: folder.path, limit: configuration.uploadLimit)
    imports.running[id] = process
    change(id) { $0.status = .downloading }
    let worker = Worker(inbox: inbox, label: "room-server.import")
    let title = job.title
    worker.run {
      let outcome = Result {
        try Self.arrival(of: process, in: folder, music: music, title: title) { news in
          worker.post { $0.heard(news, of: id) }
        }
      }
      return { $0.finish(id, outcome) }
    }
  }

  /// Follows a download to its end, and looks at what came.
  private static func arrival(
    of process: ChildProcess, in folder: HiddenFolder, music: String, title: String?,
    news: (ImportProgram.News) -> Void
  ) throws -> Arrival {
    var title = title
    var gate = NewsGate()
    let name = try ImportProgram.follow(process) {
      if case .title(let text) = $0 { title = title ?? text }
      if gate.passes($0) { news($0) }
    }
    let suffix = MediaType.suffix(of: name)
    guard MediaType.known[suffix] != nil else {
      throw ImportProgram.Failure(reason: "what came is no track: \(name)")
    }
    let file = HiddenFile(in: music, suffix: suffix)
    guard rename("\(folder.path)/\(name)", file.path) == 0 else {
      throw FileError(operation: "rename", path: file.path, code: errno)
    }
    // The title may hold anything; a suffix of its own must not become the file's.
    return try Arrival(file, wish: "\(title ?? "Import").\(suffix)")
  }

  private func heard(_ news: ImportProgram.News, of id: FetchID) {
    guard imports[id]?.isOver == false else { return }
    change(id) { job in
      switch news {
      case .title(let title): job.title = job.title ?? title
      case .progress(let percent): job.progress = max(0, min(99, percent))
      case .arrived: (job.status, job.progress) = (.converting, 99)
      }
    }
  }

  private func finish(_ id: FetchID, _ outcome: Result<Arrival, any Error>) {
    imports.running[id] = nil
    // One that was cancelled has been told already; what came nevertheless goes with its folder.
    if imports[id]?.isOver == false {
      do {
        let (track, _) = try admit(outcome.get())
        addToPlaylist(track.id, of: id)
        log("import: \(track.filename)")
        change(id) { ($0.status, $0.progress, $0.track) = (.complete, 100, track.id) }
      } catch {
        let reason = Self.reason(of: error)
        log("import failed: \(reason)")
        change(id) { ($0.status, $0.error) = (.error, reason) }
      }
    }
    startImports()
  }

  private static func reason(of error: any Error) -> String {
    switch error {
    case let failure as ImportProgram.Failure: failure.reason
    case let skipped as SkippedFile: "can't be played here: \(skipped)"
    case let file as FileError: file.refusal.message
    default: "internal error"
    }
  }

  /// Adds a track to the playlist of its list, before those of the list that came before their turn.
  private func addToPlaylist(_ track: TrackID, of id: FetchID) {
    guard let place = imports[id]?.place, var playlist = try? playlists.find(place.playlist) else {
      return
    }
    let later = Set(
      imports.jobs.filter {
        $0.place?.playlist == place.playlist && ($0.place?.rank ?? 0) > place.rank
      }.compactMap(\.track))
    let index = playlist.trackIDs.firstIndex { later.contains($0) } ?? playlist.trackIDs.endIndex
    playlist.trackIDs.insert(track, at: index)
    playlist.updatedAt = Double(now)
    do { try playlists.save(playlist) } catch { log("database: \(error)") }
  }

  /// Ends an import for good.
  func cancel(_ id: FetchID) {
    change(id) { $0.status = .cancelled }
    imports.running[id]?.end()
  }

  /// Changes a job, and tells those who may control.
  private func change(_ id: FetchID, _ body: (inout ImportJob) -> Void) {
    guard var job = imports[id] else { return }
    body(&job)
    imports[id] = job
    let frame = frame(of: .fetch(job.update))
    for listener in listeners.values where !listener.session.user.isGuest {
      listener.socket.send(frame)
    }
  }
}

/// Lets a running download's news through four times a second.
private struct NewsGate {
  private var last: ContinuousClock.Instant?

  mutating func passes(_ news: ImportProgram.News) -> Bool {
    guard case .progress = news else { return true }
    let now = ContinuousClock.now
    guard last.map({ now - $0 >= .milliseconds(250) }) ?? true else { return false }
    last = now
    return true
  }
}
