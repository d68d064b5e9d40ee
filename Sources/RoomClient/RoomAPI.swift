package import RoomProtocol
package import Transport

/// A server's REST calls, one method an endpoint.
///
/// Each sends one request and reads its answer; nothing is remembered, and after a change the state
/// on the socket is to be believed rather than the answer.
///
/// Threading: from anywhere; answers of megabytes are decoded on the caller's executor.
package struct RoomAPI: Sendable {
  /// The server.
  package let server: ServerAddress
  /// What sends the requests.
  package let http: HTTPClient

  /// Addresses a server through a client.
  package init(server: ServerAddress, http: HTTPClient) {
    self.server = server
    self.http = http
  }

  // MARK: - The server and the session

  /// What the server says of itself, and where it turned out to live.
  package struct Greeting: Sendable {
    /// What it offers.
    package var status: ServerStatus
    /// Its address with `https`, where it redirected us from `http`: use it, store it, say it.
    package var movedTo: ServerAddress?
  }

  /// Asks for the server's status.
  ///
  /// - Returns: the status, and the server's new address where it has one.
  /// - Throws: `RoomError`.
  package func status() async throws(RoomError) -> Greeting {
    let response = try await send(.status)
    return Greeting(
      status: try decode(response, .status),
      movedTo: server.successor(from: response.url, of: .status))
  }

  /// Asks where the server turned out to live, before anything is entrusted to it.
  ///
  /// - Returns: its new address, as `Greeting` has it; nil where it has stayed.
  /// - Throws: `RoomError` where it is no room server; one that lets nobody ask without signing in
  ///   has told enough.
  package func newAddress() async throws(RoomError) -> ServerAddress? {
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await http.send(request(.status))
    } catch {
      throw .transport(error)
    }
    if ![401, 403].contains(response.status) {
      let _: ServerStatus = try decode(try checked(response, .status), .status)
    }
    return server.successor(from: response.url, of: .status)
  }

  /// Asks who we are; where guests are allowed this makes a guest's session.
  ///
  /// - Returns: user and permissions; no user where there is no session.
  /// - Throws: `RoomError`.
  package func me() async throws(RoomError) -> AuthEnvelope {
    try decode(try await send(.me), .me)
  }

  /// Signs in; the session's cookie is in the client afterwards.
  ///
  /// - Parameters:
  ///   - username: the account's name.
  ///   - password: sent once, kept nowhere.
  /// - Returns: user and permissions.
  /// - Throws: `RoomError`; `.notSignedIn` where name and password don't fit.
  package func login(
    username: String, password: String
  ) async throws(RoomError) -> AuthEnvelope {
    try await authenticate(.login, username, password)
  }

  /// Makes an account and signs in.
  ///
  /// - Parameters:
  ///   - username: the new account's name.
  ///   - password: sent once, kept nowhere.
  /// - Returns: user and permissions.
  /// - Throws: `RoomError`.
  package func signup(
    username: String, password: String
  ) async throws(RoomError) -> AuthEnvelope {
    try await authenticate(.signup, username, password)
  }

  /// Ends the session on the server.
  ///
  /// - Throws: `RoomError`.
  package func logout() async throws(RoomError) {
    _ = try await send(.logout)
  }

  private func authenticate(
    _ route: Route, _ username: String, _ password: String
  ) async throws(RoomError) -> AuthEnvelope {
    let credentials = RequestBody.Credentials(username: username, password: password)
    let response = try await send(route, body: credentials)
    // Any success will do, with whatever body: then the server is asked who we are now.
    if let envelope = try? WireJSON.decode(AuthEnvelope.self, from: response.body),
      envelope.user != nil
    {
      return envelope
    }
    return try await me()
  }

  // MARK: - Channels

  /// Lists the channels.
  ///
  /// - Returns: the readable ones, and how many were not.
  /// - Throws: `RoomError`.
  package func channels() async throws(RoomError) -> TolerantList<ChannelInfo> {
    try decode(try await send(.channels), .channels)
  }

  /// A channel's state and when it was asked for and told.
  package struct TimedState: Sendable {
    /// The state, without a queue.
    package var state: ChannelState
    /// When the request left, on a connection that stood already.
    package var sentAt: ContinuousClock.Instant
    /// When the answer's first byte was there; the state is of a moment between the two.
    package var answeredAt: ContinuousClock.Instant
  }

  /// Reads a channel's state without its queue; tried once, by HTTP/1.1, never beside another request.
  ///
  /// - Parameter id: the channel.
  /// - Returns: the state and the instants of asking and answering.
  /// - Throws: `RoomError`.
  package func channelState(_ id: ChannelID) async throws(RoomError) -> TimedState {
    var request = request(.channel(id))
    request.isAlone = true
    request.retries = 0
    let response = try await send(.channel(id), request)
    return TimedState(
      state: try decode(response, .channel(id)), sentAt: response.sentAt,
      answeredAt: response.answeredAt)
  }

  /// Starts a row of the queue for everyone.
  ///
  /// - Parameters:
  ///   - index: the row, from 0.
  ///   - id: the channel.
  /// - Throws: `RoomError`.
  package func jump(to index: Int, in id: ChannelID) async throws(RoomError) {
    _ = try await send(.jump(id), body: RequestBody.Jump(index: index))
  }

  /// Moves everyone to a position.
  ///
  /// - Parameters:
  ///   - timestamp: seconds from the track's start.
  ///   - id: the channel.
  /// - Throws: `RoomError`.
  package func seek(to timestamp: Double, in id: ChannelID) async throws(RoomError) {
    _ = try await send(.seek(id), body: RequestBody.Seek(timestamp: timestamp))
  }

  /// Sets what happens at the end of a track.
  ///
  /// - Parameters:
  ///   - mode: the mode.
  ///   - id: the channel.
  /// - Throws: `RoomError`.
  package func setMode(_ mode: PlaybackMode, in id: ChannelID) async throws(RoomError) {
    _ = try await send(.setMode(id), body: RequestBody.Mode(mode: mode))
  }

  /// Changes the queue.
  ///
  /// - Parameters:
  ///   - edit: one form of change; positions count from 0.
  ///   - id: the channel.
  /// - Returns: how many rows the queue has after it, nil where the server does not say.
  /// - Throws: `RoomError`.
  package func editQueue(_ edit: QueueEdit, in id: ChannelID) async throws(RoomError) -> Int? {
    let told: QueueAnswer? = told(try await send(.editQueue(id), body: edit))
    return told?.length
  }

  // MARK: - Tracks

  /// Downloads a track's bytes.
  ///
  /// - Parameters:
  ///   - id: the track.
  ///   - headers: `Range` and `If-Range` where wanted.
  ///   - receiver: takes the bytes, on the HTTP client's thread.
  /// - Returns: the answer without its body: a success, whatever it did with the range.
  /// - Throws: `RoomError`.
  package func download(
    _ id: TrackID, headers: HTTPHeaders = HTTPHeaders(), to receiver: any BodyReceiver
  ) async throws(RoomError) -> HTTPResponse {
    let route = Route.track(id)
    var request = request(route)
    request.headers = headers
    // A library may lie with a storage provider; no cookie goes there.
    request.followsToOtherHosts = true
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await http.download(request, to: receiver)
    } catch {
      throw .transport(error)
    }
    return try checked(response, route)
  }

  // MARK: - One request

  func request(_ route: Route) -> HTTPRequest {
    HTTPRequest(HTTPRequest.Method(rawValue: route.method) ?? .get, server.url(route))
  }

  func send(
    _ route: Route, body: some WireWritable & Sendable, _ given: HTTPRequest? = nil
  ) async throws(RoomError) -> HTTPResponse {
    var request = given ?? request(route)
    request.headers.add("Content-Type", "application/json")
    do {
      request.body = try WireJSON.encode(body)
    } catch {
      // Only a number that is not finite can't be written.
      throw .unexpected(operation: operation(route), what: "a number that can't be sent")
    }
    return try await send(route, request)
  }

  func send(
    _ route: Route, _ given: HTTPRequest? = nil
  ) async throws(RoomError) -> HTTPResponse {
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await http.send(given ?? request(route))
    } catch {
      throw .transport(error)
    }
    return try checked(response, route)
  }

  func operation(_ route: Route) -> String { "\(route.method) \(route.path)" }

  func checked(
    _ response: HTTPResponse, _ route: Route
  ) throws(RoomError) -> HTTPResponse {
    let operation = operation(route)
    if response.isSuccess {
      // No endpoint answers with a page: something else does, in the server's place.
      guard WebPage(response) == nil else {
        throw .unexpected(operation: operation, what: AnswerText.nature(of: response))
      }
      return response
    }
    let message = AnswerText.message(of: response)
    switch response.status {
    case 401: throw .notSignedIn(operation: operation, message: message)
    case 403: throw .forbidden(operation: operation, message: message)
    case 404: throw .notFound(operation: operation, message: message)
    default: throw .server(operation: operation, status: response.status, message: message)
    }
  }

  /// What an answer tells of a value, nil where it tells nothing of it: any success is one.
  func told<Value: WireReadable>(_ response: HTTPResponse) -> Value? {
    try? WireJSON.decode(Value.self, from: response.body)
  }

  func decode<Value: WireReadable>(
    _ response: HTTPResponse, _ route: Route
  ) throws(RoomError) -> Value {
    do {
      return try WireJSON.decode(Value.self, from: response.body)
    } catch {
      throw .unexpected(operation: operation(route), what: AnswerText.nature(of: response))
    }
  }
}
