import RoomProtocol

/// What is known of the imports that somebody waits for.
///
/// Pure: lists of jobs and messages in, the end of each import out. The list's shape is
/// undocumented, and so is whether a job that has ended stays in it.
struct ImportWatch: Equatable, Sendable {
  /// How an import has ended.
  enum End: Equatable, Sendable {
    case done
    /// Why, in the server's words.
    case failed(String?)
    case cancelled
    /// The server no longer lists it, and never said what became of it.
    case vanished
  }

  /// One import.
  struct Item: Equatable, Sendable {
    var id: FetchID?
    /// Its title, or its address until there is one; not escaped.
    var title: String
    var url: String?
    /// In percent.
    var progress: Double?
    /// What the server says it is at.
    var status: String?
    /// What it became, where the server tells.
    var trackID: TrackID?
    var end: End?
    fileprivate var isSeen = false
    fileprivate var absences = 0

    init(id: FetchID? = nil, title: String, url: String? = nil) {
      self.id = id
      self.title = title
      self.url = url
    }
  }

  /// The imports, in the order in which they were asked for.
  private(set) var items: [Item]
  /// The jobs that others had begun before.
  private let strangers: Set<FetchID>
  /// How many lists in a row may lack a job before it counts as gone: it may not be listed yet.
  static let patience = 3

  /// Waits for imports.
  ///
  /// - Parameters:
  ///   - items: what was asked for.
  ///   - earlier: the jobs that were listed before.
  init(_ items: [Item], earlier: [FetchJob] = []) {
    self.items = items
    strangers = Set(earlier.compactMap(\.id))
  }

  /// Whether none goes on.
  var isOver: Bool { items.allSatisfy { $0.end != nil } }

  /// Whether anything is known of how far they are.
  var isMeasured: Bool { items.contains { $0.progress != nil || $0.end != nil } }

  /// How far all of them are, 0 to 1.
  var fraction: Double {
    guard !items.isEmpty else { return 1 }
    let sum = items.reduce(0.0) { sum, item in
      sum + (item.end == nil ? min(max(item.progress ?? 0, 0), 100) / 100 : 1)
    }
    return sum / Double(items.count)
  }

  // MARK: - News

  /// Takes the server's list of jobs; true where it holds news.
  mutating func take(_ jobs: [FetchJob]) -> Bool {
    let before = items
    var rest = jobs.filter { job in job.id.map { !strangers.contains($0) } ?? true }
    var found = [FetchJob?](repeating: nil, count: items.count)
    for match in [Self.sameID, Self.sameURL, Self.sameTitle] {
      for index in items.indices where found[index] == nil {
        guard let place = rest.firstIndex(where: { match($0, items[index]) }) else { continue }
        found[index] = rest.remove(at: place)
      }
    }
    // One import and one new job that nothing connects: the server gave no id and another title.
    if items.count == 1, items[0].id == nil, found[0] == nil, rest.count == 1 { found[0] = rest[0] }
    for index in items.indices where items[index].end == nil {
      if let job = found[index] { items[index].take(job) } else { items[index].miss() }
    }
    for index in items.indices {
      items[index].trackID = items[index].trackID ?? found[index]?.trackID
    }
    return items.map(\.visible) != before.map(\.visible)
  }

  /// Takes a message about an import, as a running listener hears it; true where it holds news.
  mutating func take(_ update: FetchUpdate) -> Bool {
    // What is told of one that goes on is no error.
    let error = update.type == "fetch_progress" ? nil : update.message
    let job = FetchJob(
      id: update.id, title: update.title, status: Self.status(of: update),
      progress: update.progress, error: error, trackID: update.trackID)
    let open = items.indices.filter { items[$0].end == nil }
    let index =
      open.first { Self.sameID(job, items[$0]) } ?? open.first { Self.sameTitle(job, items[$0]) }
    guard let index else { return false }
    let before = items[index].visible
    items[index].take(job)
    return items[index].visible != before
  }

  /// Settles an import of which the server says no more: it has arrived, or nobody knows.
  mutating func settle(_ index: Int, as track: TrackID?) {
    guard let track else { return }
    items[index].trackID = track
    items[index].end = .done
  }

  /// A message's type says how it ended; what it is at stands in its status.
  private static func status(of update: FetchUpdate) -> String? {
    switch update.type {
    case "fetch_complete": "complete"
    case "fetch_error": "error"
    case "fetch_cancelled": "cancelled"
    default: update.status
    }
  }

  private static func sameID(_ job: FetchJob, _ item: Item) -> Bool {
    job.id != nil && job.id == item.id
  }

  private static func sameURL(_ job: FetchJob, _ item: Item) -> Bool {
    mayBe(job, item) && job.url != nil && job.url == item.url
  }

  private static func sameTitle(_ job: FetchJob, _ item: Item) -> Bool {
    mayBe(job, item) && job.title != nil && job.title == item.title
  }

  /// Two ids that differ are two imports, whatever else is the same.
  private static func mayBe(_ job: FetchJob, _ item: Item) -> Bool {
    job.id == nil || item.id == nil
  }
}

extension ImportWatch.Item {
  /// What a listing shows of it: news are changes of this.
  fileprivate var visible: [String?] {
    [title, status, progress.map { "\($0)" }, end.map { "\($0)" }]
  }

  fileprivate mutating func take(_ job: FetchJob) {
    (isSeen, absences) = (true, 0)
    id = id ?? job.id
    title = job.title ?? title
    progress = job.progress ?? progress
    status = job.status ?? status
    trackID = job.trackID ?? trackID
    end = JobState(job).end
  }

  fileprivate mutating func miss() {
    absences += 1
    // One that was listed is gone when two lists lack it: the first may have been between two.
    if absences >= (isSeen ? 2 : ImportWatch.patience) { end = .vanished }
  }
}

/// What a job is at, from whatever word the server has for it.
enum JobState: Equatable, Sendable {
  case waiting
  case running
  case ended(ImportWatch.End)

  init(_ job: FetchJob) {
    switch job.status?.lowercased() {
    case "complete", "completed", "done", "finished", "success", "succeeded", "imported":
      self = .ended(.done)
    case "error", "failed", "failure": self = .ended(.failed(job.error))
    case "cancelled", "canceled", "aborted", "stopped": self = .ended(.cancelled)
    case "queued", "pending", "waiting": self = .waiting
    case nil where job.error != nil: self = .ended(.failed(job.error))
    default: self = .running
    }
  }

  /// How it has ended, nil while it goes on.
  var end: ImportWatch.End? {
    if case .ended(let end) = self { end } else { nil }
  }
}

/// How long to wait between two looks at a list: a moment, as small imports are quick, then a second,
/// and longer while nothing happens.
struct PollPace: Sendable {
  private var quiet = 0
  private var looks = 0

  /// The next wait, after a look that showed something new or did not.
  mutating func wait(afterNews hasNews: Bool) -> Duration {
    quiet = hasNews ? 0 : quiet + 1
    looks += 1
    return looks == 1 ? .milliseconds(300) : .seconds(min(1 + quiet / 5, 5))
  }
}
