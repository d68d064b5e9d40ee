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
    // What is told of a job that goes well is no error.
    let hasFailed = ["error", "failed", "failure"].contains(status?.lowercased() ?? "")
    self.init(
      id: first("id", "itemId", "item_id", "jobId").map { FetchID($0) },
      title: first("title", "name", "filename"), url: first("url", "webpage_url"),
      status: status,
      progress: fields.number("progress") ?? fields.number("percent"),
      error: first("error") ?? (hasFailed ? first("message") : nil),
      trackID: first("trackId", "track_id").map { TrackID($0) }
        ?? fields.value("track", as: Track.self)?.id)
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

  /// Names under which one job stands by itself; any other is the id of a job without one.
  private static let places: Set<String> = [
    "active", "current", "data", "download", "fetch", "item", "job", "now", "running", "task",
  ]

  /// Reads the list; an object's keys are read in alphabetical order.
  ///
  /// - Parameter wire: the list.
  /// - Throws: `WireError` where it is neither an array nor an object.
  package init(wire: JSONValue) throws(WireError) {
    if let list = try? TolerantList<FetchJob>(wire: wire) {
      jobs = list.elements
      return
    }
    let fields = try WireFields(wire)
    let keys = Set(fields.names).sorted()
    let holdsLists = keys.contains { fields.list($0, of: FetchJob.self) != nil }
    let itself = try FetchJob(wire: wire)
    // An id or an address is a job's own; `status` may be the answer's.
    if itself.id != nil || itself.url != nil, !holdsLists || itself.title != nil {
      jobs = [itself]
      return
    }
    jobs = keys.flatMap { Self.jobs(under: $0, in: fields) }
    if jobs.isEmpty, !holdsLists, itself.title != nil { jobs = [itself] }
  }

  private static func jobs(
    under key: String, in fields: WireFields
  ) -> [FetchJob] {
    guard var jobs = fields.value(key, as: FetchJobList.self)?.jobs else { return [] }
    if jobs.count == 1, jobs[0].id == nil, fields.list(key, of: FetchJob.self) == nil,
      !places.contains(key)
    {
      jobs[0].id = FetchID(key)
    }
    return jobs
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
