import Platform
import RoomProtocol

/// One track on its way from elsewhere.
struct ImportJob {
  /// How far it is; the words are what clients are told.
  enum Status: String {
    case queued, downloading, converting, complete, error, cancelled
  }

  /// Where in a list's playlist the track belongs.
  struct Place {
    var playlist: PlaylistID
    var rank: Int
  }

  let id: FetchID
  let url: String
  /// Who asked for it.
  let owner: User
  var title: String?
  var place: Place?
  var status = Status.queued
  /// In percent.
  var progress = 0.0
  var error: String?
  var track: TrackID?

  /// Whether nothing more will come of it.
  var isOver: Bool { [.complete, .error, .cancelled].contains(status) }

  /// What the list of imports shows.
  var shown: FetchJob {
    FetchJob(
      id: id, title: title, url: url, status: status.rawValue, progress: progress.rounded(),
      error: error, trackID: track)
  }

  /// What is said of it on the sockets.
  var update: FetchUpdate {
    let type: String
    switch status {
    case .queued, .downloading, .converting: type = "fetch_progress"
    case .complete: type = "fetch_complete"
    case .error: type = "fetch_error"
    case .cancelled: type = "fetch_cancelled"
    }
    return FetchUpdate(
      type: type, id: id, status: status.rawValue, progress: progress.rounded(), title: title,
      message: error, trackID: track)
  }
}

/// All imports: those that wait, run, and are over.
///
/// Threading: service thread only.
struct ImportQueue {
  /// The most that may wait or run.
  static let limit = 2000
  /// How many that are over are remembered.
  static let memory = 1000
  /// The most addresses that are looked at at a time.
  static let lookLimit = 4

  /// In the order they were asked for.
  var jobs: [ImportJob] = []
  /// What downloads.
  var running: [FetchID: ChildProcess] = [:]
  /// What looks at addresses.
  var looking: [ObjectIdentifier: ChildProcess] = [:]

  /// How many wait or run.
  var openCount: Int { jobs.count { !$0.isOver } }

  /// A job by its id.
  subscript(id: FetchID) -> ImportJob? {
    get { jobs.first { $0.id == id } }
    set {
      guard let newValue, let index = jobs.firstIndex(where: { $0.id == id }) else { return }
      jobs[index] = newValue
    }
  }

  /// The next one to start, nil where none waits.
  var next: FetchID? { jobs.first { $0.status == .queued }?.id }

  /// Forgets the oldest ones that are over, where there are too many.
  mutating func forget() {
    var surplus = jobs.count { $0.isOver } - Self.memory
    jobs.removeAll { job in
      guard surplus > 0, job.isOver else { return false }
      surplus -= 1
      return true
    }
  }

  /// Kills everything.
  func kill() {
    for process in running.values { process.kill() }
    for process in looking.values { process.kill() }
  }
}
