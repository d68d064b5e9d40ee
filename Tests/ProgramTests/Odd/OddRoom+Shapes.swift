import RoomProtocol
import Transport

/// An answer of the odd server.
struct OddAnswer {
  var status: Int
  var type: String?
  var text = ""
  /// What is sent instead of the text, without its length.
  var bytes: [UInt8]?
  var headers = HTTPHeaders()

  /// A success that says nothing.
  static let nothing = OddAnswer(status: 204, type: nil)

  static func json(_ text: String, status: Int = 200) -> OddAnswer {
    OddAnswer(status: status, type: "application/json", text: text)
  }

  static func word(_ text: String, status: Int = 200) -> OddAnswer {
    OddAnswer(status: status, type: "text/plain", text: text)
  }

  static func page(_ status: Int, _ title: String) -> OddAnswer {
    OddAnswer(
      status: status, type: "text/html; charset=utf-8",
      text:
        "<!DOCTYPE html>\n<html><head>\n<title>\(title)</title></head><body>\(title)</body></html>")
  }

  var response: OutgoingResponse {
    var response = OutgoingResponse(status: status, body: .bytes(bytes ?? Array(text.utf8)))
    response.announcesLength = bytes == nil
    if let type { response.headers.add("Content-Type", type) }
    response.headers.add(headers)
    return response
  }
}

/// The shapes of the wire, as the odd server writes them.
extension OddRoom {
  func quoted(_ text: String?) -> String {
    guard let text, let bytes = try? WireJSON.encode(text) else { return "null" }
    return String(decoding: bytes, as: UTF8.self)
  }

  func songText(_ id: String) -> String {
    guard let song = songs.first(where: { $0.id == id }) else {
      return "{\"id\":\(quoted(id)),\"available\":0}"
    }
    return """
      {"id":\(quoted(song.id)),"filename":\(quoted("\(song.title).flac")),"title":\
      \(quoted(song.title)),"artist":null,"duration":"30.5","bpm":120,"available":1}
      """
  }

  func stateText(withQueue: Bool) -> String {
    let track = queue.indices.contains(index) ? songText(queue[index]) : "null"
    let rows = withQueue ? ",\"queue\":[\(queue.map(songText).joined(separator: ","))]" : ""
    return """
      {"channelId":1,"track":\(track),"currentTimestamp":"\(seconds)","paused":\
      \(isPaused ? 1 : 0),"currentIndex":\(index),"playbackMode":\(quoted(mode)),"isDefault":1,\
      "mood":{"colour":"blue"}\(rows)}
      """
  }

  var roomsText: String {
    let all = rooms.sorted { $0.key < $1.key }.map { number, name in
      """
      {"id":\(number),"name":\(quoted(name)),"isDefault":\(number == 1 ? 1 : 0),"trackCount":"5"}
      """
    }
    return "[\(all.joined(separator: ",")),{\"name\":\"no id\"}]"
  }

  func userText(_ name: String) -> String {
    let isGuest = name.isEmpty
    let control =
      isGuest
      ? "" : #"{"resource_type":"channel","resource_id":1,"permission":"control"},"#
    return """
      {"id":"\(isGuest ? 0 : 7)","username":\(quoted(isGuest ? "visitor" : name)),"is_admin":0,\
      "is_guest":\(isGuest ? 1 : 0),"theme":"dark","permissions":[\(control)"all"]}
      """
  }

  func listText(_ number: Int, _ list: List) -> String {
    """
    {"id":\(number),"name":\(quoted(list.name)),"description":null,"ownerId":"7","isPublic":\
    \(list.isPublic ? 1 : 0),"shareToken":\(quoted(list.token)),"createdAt":"yesterday",\
    "updatedAt":null,"cover":[],"trackIds":[\(list.songs.map { quoted($0) }.joined(separator: ","))]}
    """
  }

  /// The jobs, in an object, under other names; each look takes them further.
  func jobsText() -> String {
    let all = jobs.indices.map { index -> String in
      jobs[index].looks += 1
      let job = jobs[index]
      let id = "no. \(job.title)"
      let isDone = job.looks > 1 && !job.isCancelled
      if isDone, !songs.contains(where: { $0.id == id }) {
        songs.append(Song(id: id, title: job.title))
      }
      let state = job.isCancelled ? "canceled" : isDone ? "done" : "running"
      return """
        {"itemId":\(job.id),"name":\(quoted(job.title)),"url":\(quoted(job.url)),"state":"\(state)",\
        "percent":"\(isDone ? 100 : 40)","track_id":\(isDone ? quoted(id) : "null")}
        """
    }
    return "{\"paused\":0,\"jobs\":[\(all.joined(separator: ","))],\"speed\":{\"now\":\"fast\"}}"
  }
}
