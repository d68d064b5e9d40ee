import Platform
import RoomProtocol
import Transport

/// Imports: to ask for them, list and cancel them.
extension RoomHost {
  func fetch(_ call: Call) throws -> Answer {
    let body: RequestBody.Fetch = try call.body()
    let url = body.url.trimmed
    let program = try neededProgram()
    guard ImportAddress.isValid(url) else {
      throw Refusal(400, "an address begins with http:// or https://")
    }
    guard imports.looking.count < ImportQueue.lookLimit else {
      throw Refusal(429, "too many addresses are looked at: try again")
    }
    let (member, limit) = (try call.member(), configuration.importPatience)
    let process = program.look(at: url)
    imports.looking[ObjectIdentifier(process)] = process
    return .later(Worker(inbox: inbox, label: "room-server.look")) {
      let found = Result { () throws(ImportProgram.Failure) in
        try ImportProgram.finding(of: process, at: url, within: limit)
      }
      return { host in
        host.imports.looking[ObjectIdentifier(process)] = nil
        return try .value(host.answer(to: found, for: member))
      }
    }
  }

  private func answer(
    to found: Result<ImportProgram.Finding, ImportProgram.Failure>, for member: User
  ) throws -> FetchAnswer {
    switch found {
    case .success(.single(let title, let url)):
      try checkRoom(for: 1)
      let job = enqueue([FetchItem(url: url, title: title)], of: member).first
      return .single(id: job?.id, title: title, queueType: nil)
    case .success(.list(let title, let items)):
      return .playlist(title: title, items: TolerantList(items), requiresConfirmation: true)
    case .failure(let failure):
      throw Refusal(422, failure.reason)
    }
  }

  func confirmFetch(_ call: Call) throws -> OutgoingResponse {
    let body: FetchConfirmation = try call.body()
    _ = try neededProgram()
    guard (1...ImportProgram.itemLimit).contains(body.items.count) else {
      throw Refusal(400, "a list has 1 to \(ImportProgram.itemLimit) items")
    }
    for item in body.items where !ImportAddress.isValid(item.url) {
      throw Refusal(400, "not an address: \(item.url)")
    }
    try checkRoom(for: body.items.count)
    let member = try call.member()
    let playlist = try makePlaylist(name: Self.name(from: body.playlistTitle), owner: member)
    let jobs = enqueue(body.items, of: member, playlist: playlist.id)
    let receipt = FetchReceipt(
      message: "\(jobs.count) on their way to \(playlist.name)", playlistID: playlist.id,
      playlistName: playlist.name, jobs: jobs.map(\.shown))
    return try .value(receipt, status: 202)
  }

  /// A name for a playlist, of a title from elsewhere.
  private static func name(from title: String) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(
      contentsOf: title.unicodeScalars.filter { $0.properties.generalCategory != .control })
    let name = String(String(scalars).trimmed.prefix(100)).trimmed
    return name.isEmpty ? "Imports" : name
  }

  func listFetches() throws -> OutgoingResponse {
    try .value(imports.jobs.map(\.shown))
  }

  func cancelFetch(_ call: Call) throws -> OutgoingResponse {
    let member = try call.member()
    guard let job = imports[FetchID(call.route.parameter)] else {
      throw Refusal(404, "no such import")
    }
    guard member.isAdmin || job.owner.id == member.id else {
      throw Refusal(403, "the import is someone else's")
    }
    guard !job.isOver else { throw Refusal(409, "the import is over") }
    cancel(job.id)
    return try .value(["success": true])
  }

  func cancelAllFetches(_ call: Call) throws -> OutgoingResponse {
    let member = try call.member()
    let mine = imports.jobs.filter {
      !$0.isOver && (member.isAdmin || $0.owner.id == member.id)
    }
    for job in mine { cancel(job.id) }
    return try .value(["success": true, "cancelled": mine.count])
  }

  private func neededProgram() throws(Refusal) -> ImportProgram {
    guard let program = importProgram else {
      throw Refusal(503, "this server can't import")
    }
    return program
  }

  private func checkRoom(for count: Int) throws(Refusal) {
    guard imports.openCount + count <= ImportQueue.limit else {
      throw Refusal(429, "too many imports wait")
    }
  }
}
