import RoomProtocol
import Transport

/// One request on its way through a handler.
struct Call {
  var route: Route
  var request: IncomingRequest
  /// Whose request it is; nil for someone without a (valid) cookie.
  var session: Session?
  /// Where the files of its form went.
  var sink: (any FormSink)?

  /// The channel the path names.
  var channelID: ChannelID { ChannelID(route.parameter) }

  /// Reads the body.
  ///
  /// - Throws: `Refusal` with 400 where it isn't what is asked for.
  func body<Value: WireReadable>(_ type: Value.Type = Value.self) throws(Refusal) -> Value {
    do {
      return try WireJSON.decode(type, from: request.body)
    } catch {
      throw Refusal(400, "the body is not what this path takes")
    }
  }
}

/// A handler's answer.
enum Answer {
  case now(OutgoingResponse)
  /// Slow work, which a worker does beside the room; what it returns makes the answer.
  case later(Worker, @Sendable () -> @Sendable (RoomHost) throws -> OutgoingResponse)
}

/// An answer that is no success.
struct Refusal: Error, Equatable {
  var status: Int
  var message: String
  /// How many seconds to wait before the next try, where waiting helps.
  var retryAfter: Int?

  init(_ status: Int, _ message: String, retryAfter: Int? = nil) {
    self.status = status
    self.message = message
    self.retryAfter = retryAfter
  }

  var response: OutgoingResponse {
    var response = OutgoingResponse.error(status, message)
    if let retryAfter { response.headers.add("Retry-After", "\(retryAfter)") }
    return response
  }
}

/// Who may use a path.
enum Access {
  /// Everybody, signed in or not.
  case anyone
  /// Whoever may listen: a session, or nobody in particular where guests are allowed.
  case listener
  /// Users only; a guest gets 403.
  case member
}

/// What a path does and who may do it.
struct Handler: Sendable {
  var access: Access
  var answer: @Sendable (RoomHost, Call) throws -> Answer

  init(_ access: Access, _ answer: @escaping @Sendable (RoomHost, Call) throws -> Answer) {
    self.access = access
    self.answer = answer
  }
}

/// The paths this server has; those of the protocol that are missing here answer 404.
let handlers: [Endpoint: Handler] = [
  .status: Handler(.anyone) { host, _ in .now(host.status()) },
  .signup: Handler(.anyone) { host, call in try host.signup(call) },
  .login: Handler(.anyone) { host, call in try host.login(call) },
  .logout: Handler(.anyone) { host, call in .now(try host.logout(call)) },
  .me: Handler(.anyone) { host, call in .now(try host.me(call)) },
  .kickOthers: Handler(.member) { host, call in .now(try host.kickOthers(call)) },
  .channels: Handler(.listener) { host, _ in .now(try host.listChannels()) },
  .createChannel: Handler(.member) { host, call in .now(try host.createChannel(call)) },
  .channel: Handler(.listener) { host, call in .now(try host.readChannel(call)) },
  .editChannel: Handler(.member) { host, call in .now(try host.editChannel(call)) },
  .deleteChannel: Handler(.member) { host, call in .now(try host.deleteChannel(call)) },
  .jump: Handler(.member) { host, call in .now(try host.jump(call)) },
  .seek: Handler(.member) { host, call in .now(try host.seek(call)) },
  .setMode: Handler(.member) { host, call in .now(try host.setMode(call)) },
  .editQueue: Handler(.member) { host, call in .now(try host.editQueue(call)) },
  .socket: Handler(.listener) { _, _ in throw Refusal(426, "a WebSocket is asked for here") },
  .library: Handler(.listener) { host, call in .now(host.readLibrary(call)) },
  .track: Handler(.listener) { host, call in .now(try host.readTrack(call)) },
  .upload: Handler(.member) { host, call in try host.upload(call) },
  .fetch: Handler(.member) { host, call in try host.fetch(call) },
  .confirmFetch: Handler(.member) { host, call in .now(try host.confirmFetch(call)) },
  .fetchJobs: Handler(.member) { host, _ in .now(try host.listFetches()) },
  .cancelAllFetches: Handler(.member) { host, call in .now(try host.cancelAllFetches(call)) },
  .cancelFetch: Handler(.member) { host, call in .now(try host.cancelFetch(call)) },
  .playlists: Handler(.listener) { host, call in .now(try host.listPlaylists(call)) },
  .createPlaylist: Handler(.member) { host, call in .now(try host.createPlaylist(call)) },
  .sharedPlaylist: Handler(.listener) { host, call in .now(try host.readShared(call)) },
  .copySharedPlaylist: Handler(.member) { host, call in .now(try host.copyShared(call)) },
  .playlist: Handler(.listener) { host, call in .now(try host.readPlaylist(call)) },
  .editPlaylist: Handler(.member) { host, call in .now(try host.editPlaylist(call)) },
  .deletePlaylist: Handler(.member) { host, call in .now(try host.deletePlaylist(call)) },
  .editPlaylistTracks: Handler(.member) { host, call in .now(try host.editTracks(call)) },
  .sharePlaylist: Handler(.member) { host, call in .now(try host.sharePlaylist(call)) },
  .unsharePlaylist: Handler(.member) { host, call in .now(try host.unsharePlaylist(call)) },
]

extension RoomHost: WebServerHandler {
  func answer(_ exchange: HTTPExchange) {
    if let delay = faults.answerDelay, !exchange.request.path.hasPrefix("/api/tracks/") {
      webServer.timers.schedule(after: delay) { [weak self] in self?.dispatch(exchange) }
    } else {
      dispatch(exchange)
    }
  }

  func finished(_ request: IncomingRequest, status: Int) {
    guard configuration.isVerbose else { return }
    log("\(request.method) \(request.path) \(status)")
  }

  private func dispatch(_ exchange: HTTPExchange) {
    let failure = failure(of: exchange.request)
    if let failure {
      // What comes later is dropped.
      failure.answer.give(to: exchange)
      guard failure.isDone else { return }
    }
    let response = capture {
      var (handler, call) = try route(exchange.request)
      call.sink = exchange.sink
      return try handler.answer(self, call)
    }
    switch response {
    case .success(.now(let response)): if failure == nil { exchange.respond(response) }
    case .success(.later(let worker, let work)): later(exchange, worker, work)
    case .failure(let refusal): if failure == nil { exchange.respond(refusal.response) }
    }
  }

  private func later(
    _ exchange: HTTPExchange, _ worker: Worker,
    _ work: @escaping @Sendable () -> @Sendable (RoomHost) throws -> OutgoingResponse
  ) {
    let ticket = park(exchange)
    worker.run {
      let conclude = work()
      return { host in
        guard let exchange = host.unpark(ticket) else { return }
        switch host.capture({ try conclude(host) }) {
        case .success(let response): exchange.respond(response)
        case .failure(let refusal): exchange.respond(refusal.response)
        }
      }
    }
  }

  /// Turns what a handler throws into an answer; only what is not foreseen is logged.
  func capture<Value>(_ body: () throws -> Value) -> Result<Value, Refusal> {
    do {
      return .success(try body())
    } catch let refusal as Refusal {
      return .failure(refusal)
    } catch {
      log("internal error: \(error)")
      return .failure(Refusal(500, "internal error"))
    }
  }

  /// Who answers a request; throws where its sender may not make it.
  func route(_ request: IncomingRequest) throws -> (Handler, Call) {
    if faults.rejectsEveryone { throw Refusal(401, "not signed in") }
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let route = Route(method: method, path: request.path, isEncoded: false) else {
      let methods = Route.methods(of: request.path, isEncoded: false)
      throw methods.isEmpty
        ? Refusal(404, "not found") : Refusal(405, "not a method of this path")
    }
    guard let handler = handlers[route.endpoint] else {
      throw Refusal(404, "this server does not have that yet")
    }
    let session = try session(of: request)
    try check(handler.access, session: session, hasCookie: request.hasSessionCookie)
    return (handler, Call(route: route, request: request, session: session))
  }

  private func check(_ access: Access, session: Session?, hasCookie: Bool) throws(Refusal) {
    switch access {
    case .anyone: return
    case .listener:
      if session == nil, !configuration.allowsGuests { throw Refusal(401, "not signed in") }
    case .member:
      guard let session else {
        // With a cookie the session is gone; without one it is a guest's request.
        throw configuration.allowsGuests && !hasCookie
          ? Refusal(403, "guests may only listen") : Refusal(401, "not signed in")
      }
      if session.user.isGuest { throw Refusal(403, "guests may only listen") }
    }
  }
}

extension IncomingRequest {
  /// Whether it carries a session's cookie, valid or not.
  var hasSessionCookie: Bool { cookies[SessionCookie.name] != nil }
}

extension OutgoingResponse {
  /// An answer that is no success: `{"error": "..."}`.
  static func error(_ status: Int, _ message: String) -> OutgoingResponse {
    // A text can always be encoded.
    OutgoingResponse(
      status: status, json: (try? WireJSON.encode(RoomProtocol.ServerError(message))) ?? [])
  }

  /// A shape of the protocol as JSON.
  ///
  /// - Throws: `WireError` for a number that is not finite.
  static func value(_ value: some WireWritable, status: Int = 200) throws -> OutgoingResponse {
    OutgoingResponse(status: status, json: try WireJSON.encode(value))
  }

  /// A small answer as a JSON object.
  static func value(_ fields: KeyValuePairs<String, (any WireWritable)?>) throws -> OutgoingResponse
  {
    try value(JSONValue.fields(fields))
  }
}
