/// An import as the list of imports shows it; its shape is undocumented, so that nothing is sure.
package struct FetchJob: Hashable, Sendable {
  /// Names the import where one can be cancelled.
  package var id: FetchID?
  /// What is imported.
  package var title: String?
  /// Where from.
  package var url: String?
  /// What it is at, in the server's word: `queued`, `downloading`, `complete`.
  package var status: String?
  /// In percent.
  package var progress: Double?
  /// Why it failed.
  package var error: String?
  /// The track it became.
  package var trackID: TrackID?

  /// Makes a job.
  package init(
    id: FetchID? = nil, title: String? = nil, url: String? = nil, status: String? = nil,
    progress: Double? = nil, error: String? = nil, trackID: TrackID? = nil
  ) {
    self.id = id
    self.title = title
    self.url = url
    self.status = status
    self.progress = progress
    self.error = error
    self.trackID = trackID
  }
}

extension FetchJob: WireReadable, WireWritable {
  /// Reads a job under whatever names its fields have.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    func first(_ names: String...) -> String? {
      names.lazy.compactMap { fields.label($0) }.first
    }
    let status = first("status", "state", "phase")
    let percents = ["progress", "percent", "percentage"]
    // What is told of a job that goes well is no error.
    let hasFailed = ["error", "failed", "failure"].contains(status?.lowercased() ?? "")
    self.init(
      id: first("id", "itemId", "item_id", "jobId", "job_id", "_id", "uuid").map { FetchID($0) },
      title: first("title", "name", "filename", "file"),
      url: first("url", "webpage_url", "webpageUrl", "link"), status: status,
      progress: percents.lazy.compactMap { Self.percent($0, in: fields) }.first,
      error: first("error") ?? (hasFailed ? first("message") : nil),
      trackID: first("trackId", "track_id").map { TrackID($0) }
        ?? fields.value("track", as: Track.self)?.id)
  }

  /// Reads `42`, `"42 %"` or `{"percent": 42}`.
  private static func percent(_ name: String, in fields: WireFields) -> Double? {
    if let number = fields.number(name) { return number }
    guard let text = fields.text(name) else {
      return fields.value(name, as: JSONValue.self)?["percent"].number
    }
    return Double(text.filter { !$0.isWhitespace && $0 != "%" }).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Writes the job.
  package var wire: JSONValue {
    JSONValue.object([]).adding([
      "id": id,
      "title": title,
      "url": url,
      "status": status,
      "progress": progress,
      "error": error,
      "trackId": trackID,
    ])
  }
}

/// The list of imports: an array, or an object that holds one or several, however deep.
package struct FetchJobList: WireReadable, Sendable {
  /// The jobs that could be read, in the server's order.
  package var jobs: [FetchJob]
  /// The number of elements that could not be read; report it once.
  package var droppedElements: Int

  /// Names under which one job stands by itself; any other is the id of a job without one.
  private static let places: Set<String> = [
    "active", "current", "data", "download", "fetch", "item", "job", "now", "running", "task",
  ]

  /// Names under which a job tells of something else than jobs.
  private static let details: Set<String> = [
    "info", "metadata", "owner", "requestedBy", "requested_by", "track", "user", "video",
  ]

  /// Reads the list; an object's keys are read in alphabetical order.
  ///
  /// Null is an empty list.
  ///
  /// - Parameter wire: the list.
  /// - Throws: `WireError` where it is neither an array nor an object.
  package init(wire: JSONValue) throws(WireError) {
    (jobs, droppedElements) = ([], 0)
    switch wire {
    case .null: break
    case .list(let elements): for element in elements { take(element: element) }
    default: try take(object: wire)
    }
  }

  /// Takes an element of an array: a job, an address that is one, or a list once more.
  private mutating func take(element: JSONValue) {
    switch element {
    case .list: take(try? FetchJobList(wire: element))
    case .text(let text) where text.contains("://"): jobs.append(FetchJob(url: text))
    default:
      guard var job = try? FetchJob(wire: element) else {
        droppedElements += 1
        return
      }
      // Of a job in words of its own all that it says is shown.
      if job.title == nil { job.title = Self.innerTitle(element) }
      if job == FetchJob() { job.title = String(element.json.prefix(200)) }
      jobs.append(job)
    }
  }

  private static func innerTitle(_ element: JSONValue) -> String? {
    guard case .object(let members) = element else { return nil }
    return members.lazy.compactMap { $0.value["title"].text ?? $0.value["name"].text }.first
  }

  private mutating func take(object: JSONValue) throws(WireError) {
    let fields = try WireFields(object)
    let keys = Set(fields.names).sorted()
    let holdsLists = keys.contains { fields.list($0, of: FetchJob.self) != nil }
    let itself = try FetchJob(wire: object)
    // An id or an address is a job's own; `status` may be the answer's.
    if itself.id != nil || itself.url != nil, !holdsLists || itself.title != nil {
      jobs = [itself]
      return
    }
    for key in keys where !Self.details.contains(key) { take(Self.list(under: key, in: fields)) }
    if jobs.isEmpty, !holdsLists, itself.title != nil || itself.trackID != nil { jobs = [itself] }
  }

  private mutating func take(_ list: FetchJobList?) {
    jobs += list?.jobs ?? []
    droppedElements += list?.droppedElements ?? 0
  }

  private static func list(under key: String, in fields: WireFields) -> FetchJobList? {
    var list = fields.value(key, as: FetchJobList.self)
    if let jobs = list?.jobs, jobs.count == 1, jobs[0].id == nil,
      fields.list(key, of: FetchJob.self) == nil, !places.contains(key)
    {
      list?.jobs[0].id = FetchID(key)
    }
    return list
  }
}

/// What the server tells after an import was confirmed; all of it may be missing.
package struct FetchReceipt: WireReadable, WireWritable, Hashable, Sendable {
  /// A word for people.
  package var message: String?
  /// The playlist that fills as tracks arrive.
  package var playlistID: PlaylistID?
  /// Its name.
  package var playlistName: String?
  /// The jobs that were made, where the server lists them.
  package var jobs: [FetchJob]

  /// Makes a receipt.
  package init(
    message: String? = nil, playlistID: PlaylistID? = nil, playlistName: String? = nil,
    jobs: [FetchJob] = []
  ) {
    self.message = message
    self.playlistID = playlistID
    self.playlistName = playlistName
    self.jobs = jobs
  }

  /// Reads a receipt.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      message: fields.text("message"), playlistID: fields.value("playlistId"),
      playlistName: fields.text("playlistName"), jobs: fields.list("items")?.elements ?? [])
  }

  /// Writes the receipt.
  package var wire: JSONValue {
    JSONValue.fields([
      "items": jobs
    ]).adding([
      "message": message,
      "playlistId": playlistID,
      "playlistName": playlistName,
    ])
  }
}
