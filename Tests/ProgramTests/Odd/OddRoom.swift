import RoomProtocol
import Transport

/// What stands behind the odd server: its songs, its people and its two rooms.
///
/// Where the protocol is silent it does this:
/// - successes are 200, 202 or 204, with no body, a word or JSON; nothing is a 201
/// - bad requests are 422, with plain text; what is missing is a web page; 403 is a `message`
/// - users are bare and in snake_case, flags are 0 and 1, numbers come as texts, ids as numbers
/// - objects have fields nobody knows, lists have an element nobody can read
/// - removals are read one by one, and a move's `to` means the queue without what is moved
/// - `currentIndex` stays what it is when rows move; states have no listeners
///
/// Threading: the server's thread alone.
final class OddRoom: WebServerHandler {
  struct Song {
    var id: String
    var title: String
  }

  struct List {
    var name: String
    var isPublic = false
    var token: String?
    var songs: [String] = []
  }

  struct Job {
    var id: Int
    var title: String
    var url: String
    /// How often it was asked for: it goes on only when someone looks.
    var looks = 0
    var isCancelled = false
  }

  var isOver = false
  var songs = ["Amber", "Birch", "Cedar", "Dogwood", "Elder"].map {
    Song(id: "no. \($0.prefix(1)) & co", title: $0)
  }
  var rooms = [1: "Main Hall", 2: "Side"]
  var queue: [String]
  var index = 0
  var isPaused = true
  var seconds = 3.5
  var mode = "repeat-all"
  var lists: [Int: List] = [:]
  var jobs: [Job] = []
  /// Users by their session's cookie; a guest's name is empty.
  var sessions: [String: String] = [:]
  /// Paths that fail the next time they are asked for.
  var failsOnce: Set<String> = []
  /// Whether the queue stays what it is.
  var refusesEdits = false
  /// Methods and paths, in the order they came.
  var requests: [String] = []

  private var sockets: [AcceptedSocket.ID: (socket: AcceptedSocket, isGuest: Bool)] = [:]
  private var lastNumber = 30

  init() {
    queue = songs.map(\.id)
  }

  /// A number no thing has had yet.
  func number() -> Int {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Sessions

  /// Who sends a request: a user's name, empty for a guest; nil for nobody.
  func sender(_ request: IncomingRequest) -> String? {
    request.cookies["blastoise_session"].flatMap { sessions[$0] }
  }

  /// Opens a session.
  func open(_ name: String) -> HTTPHeaders {
    let token = "odd-\(number())"
    sessions[token] = name
    var headers = HTTPHeaders(["Set-Cookie": "taste=lemon; Path=/"])
    headers.add("Set-Cookie", "blastoise_session=\(token); Path=/; SameSite=Strict; HttpOnly")
    return headers
  }

  // MARK: The queue

  /// Edits rows in this server's reading; false where it can't.
  func apply(_ edit: QueueEdit, to rows: inout [String]) -> Bool {
    let before = rows
    switch edit {
    case .set(let ids): rows = ids.map(\.rawValue)
    case .add(let ids, let place):
      rows.insert(contentsOf: ids.map(\.rawValue), at: min(place ?? rows.count, rows.count))
    case .remove(let positions):
      for position in positions where rows.indices.contains(position) { rows.remove(at: position) }
    case .move(let positions, let target):
      let moved = positions.filter { before.indices.contains($0) }.map { before[$0] }
      for position in positions.sorted(by: >) where rows.indices.contains(position) {
        rows.remove(at: position)
      }
      rows.insert(contentsOf: moved, at: min(target, rows.count))
    }
    let known = Set(songs.map(\.id))
    guard rows.allSatisfy({ known.contains($0) }) else {
      rows = before
      return false
    }
    return true
  }

  // MARK: Sockets

  func decide(onUpgrade request: IncomingRequest) -> UpgradeDecision {
    guard let route = Route(method: "GET", path: request.path, isEncoded: false),
      route.endpoint == .socket, let number = Int(route.parameter), rooms[number] != nil
    else { return .refuse(OddAnswer.page(404, "No Such Place").response) }
    let name = sender(request)
    return .accept(
      SocketUpgrade(headers: name == nil ? open("") : HTTPHeaders()) { [self] socket in
        sockets[socket.id] = (socket, (name ?? "").isEmpty)
        greet(socket)
      })
  }

  /// What nobody can make anything of comes first, and never a list of rooms.
  private func greet(_ socket: AcceptedSocket) {
    let greetings = [
      #"{"hello":1}"#, #"{"type":"weather","sky":"grey","paused":0}"#, "{{{", "[]", "17",
      #"{"channelId":2,"track":null,"paused":0,"queue":[]}"#, stateText(withQueue: true),
    ]
    for text in greetings { socket.send(TextFrame(Array(text.utf8))) }
  }

  func received(_ text: [UInt8], on socket: AcceptedSocket) {
    guard let listener = sockets[socket.id], !listener.isGuest,
      let action = try? WireJSON.decode(ClientAction.self, from: text)
    else { return }
    switch action {
    case .pause: isPaused = true
    case .unpause: isPaused = false
    case .seek(let timestamp): seconds = timestamp
    case .jump(let row): jump(row)
    case .switch: return
    }
    tell(withQueue: false)
  }

  func closed(_ socket: AcceptedSocket) {
    sockets[socket.id] = nil
  }

  func finished(_ request: IncomingRequest, status: Int) {}

  /// Goes to a row.
  func jump(_ row: Int) {
    index = max(0, min(row, queue.count - 1))
    seconds = 0
  }

  /// Tells everyone how the room is.
  func tell(withQueue: Bool) {
    let frame = TextFrame(Array(stateText(withQueue: withQueue).utf8))
    for listener in sockets.values { listener.socket.send(frame) }
  }

  func answer(_ exchange: HTTPExchange) {
    exchange.respond(reply(to: exchange.request).response)
  }
}
