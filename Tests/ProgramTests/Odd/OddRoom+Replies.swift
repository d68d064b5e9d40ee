import RoomProtocol
import TestSupport
import Transport

/// What the odd server answers to each path.
extension OddRoom {
  func reply(to request: IncomingRequest) -> OddAnswer {
    requests.append("\(request.method) \(request.path)")
    if failsOnce.remove(request.path) != nil { return .page(500, "Something broke") }
    guard let route = Route(method: request.method, path: request.path, isEncoded: false) else {
      return .page(404, "Not Here")
    }
    switch route.endpoint {
    case .status:
      return .json(
        #"{"app":"Odd","version":2,"guests_allowed":1,"signup_enabled":0,"ytdlp":{"enabled":1,"available":1}}"#
      )
    case .login, .signup, .logout, .me: return session(route, request)
    case .library: return .json("[\(songs.map { songText($0.id) }.joined(separator: ",")),42]")
    case .channels: return .json(roomsText)
    case .channel:
      guard let number = Int(route.parameter), rooms[number] != nil else {
        return .page(404, "No Such Place")
      }
      let other = #"{"channelId":\#(number),"track":null,"paused":0}"#
      return .json(number == 1 ? stateText(withQueue: false) : other)
    case .track: return sound(of: route.parameter)
    case .playlists:
      let mine = lists.sorted { $0.key < $1.key }.map { listText($0, $1) } + ["null"]
      return .json("{\"mine\":[\(mine.joined(separator: ","))],\"shared\":null}")
    case .playlist, .sharedPlaylist: return list(route)
    default: break
    }
    guard let name = sender(request) else { return .page(401, "Who are you?") }
    guard !name.isEmpty else { return .json(#"{"message":"members only"}"#, status: 403) }
    return change(route, request)
  }

  /// All songs sound alike; of a range, a type and a length this server knows nothing.
  private func sound(of id: String) -> OddAnswer {
    guard songs.contains(where: { $0.id == id }),
      let bytes = try? Fixture.bytes("audio/ruler.flac")
    else { return .page(404, "No Such Song") }
    return OddAnswer(status: 200, type: "text/plain", bytes: Music.tag(id) + bytes)
  }

  private func session(_ route: Route, _ request: IncomingRequest) -> OddAnswer {
    switch route.endpoint {
    case .login:
      let body = try? WireJSON.decode(RequestBody.Credentials.self, from: request.body)
      guard body?.username == "ada", body?.password == "secret" else {
        return .word("nope", status: 401)
      }
      var answer = OddAnswer.nothing
      answer.headers = open("ada")
      return answer
    case .signup: return .json(#"{"message":"ask the owner for an account"}"#, status: 403)
    case .logout:
      if let token = request.cookies["blastoise_session"] { sessions[token] = nil }
      return .nothing
    default:
      let name = sender(request)
      var answer = OddAnswer.json(userText(name ?? ""))
      if name == nil { answer.headers = open("") }
      return answer
    }
  }

  private func list(_ route: Route) -> OddAnswer {
    let found = lists.first {
      route.endpoint == .playlist
        ? "\($0.key)" == route.parameter : $0.value.token == route.parameter
    }
    return found.map { .json(listText($0.key, $0.value)) } ?? .page(404, "No Such List")
  }

  /// What only users may do.
  private func change(_ route: Route, _ request: IncomingRequest) -> OddAnswer {
    switch route.endpoint {
    case .kickOthers: return .word("done")
    case .createChannel, .editChannel, .deleteChannel: return changeRooms(route, request)
    case .jump, .seek, .setMode, .editQueue: return control(route, request)
    case .upload: return take(request)
    case .fetch, .confirmFetch, .fetchJobs, .cancelFetch, .cancelAllFetches:
      return imports(route, request)
    default: return changeLists(route, request)
    }
  }

  private func changeRooms(_ route: Route, _ request: IncomingRequest) -> OddAnswer {
    let details = try? WireJSON.decode(RequestBody.Details.self, from: request.body)
    if route.endpoint == .createChannel {
      guard let name = details?.name else { return .word("a name, please", status: 422) }
      rooms[number()] = name
      return .nothing
    }
    guard let number = Int(route.parameter), rooms[number] != nil else {
      return .page(404, "No Such Place")
    }
    if route.endpoint == .editChannel {
      guard details?.name != "" else { return .word("a name, please", status: 422) }
      rooms[number] = details?.name ?? rooms[number]
      return .word("renamed")
    }
    guard number != 1 else { return .word("not that one", status: 422) }
    rooms[number] = nil
    return OddAnswer(status: 200, type: nil)
  }

  private func control(_ route: Route, _ request: IncomingRequest) -> OddAnswer {
    switch route.endpoint {
    case .jump:
      guard let body = try? WireJSON.decode(RequestBody.Jump.self, from: request.body) else {
        return .word("no row", status: 422)
      }
      jump(body.index)
    case .seek:
      guard let body = try? WireJSON.decode(RequestBody.Seek.self, from: request.body) else {
        return .word("no time", status: 422)
      }
      seconds = body.timestamp
    case .setMode:
      guard let body = try? WireJSON.decode(RequestBody.Mode.self, from: request.body) else {
        return .word("no mode", status: 422)
      }
      mode = body.mode.name
    default:
      guard let edit = try? WireJSON.decode(QueueEdit.self, from: request.body),
        !refusesEdits, apply(edit, to: &queue)
      else { return .word("that does not work", status: 422) }
      index = max(0, min(index, queue.count - 1))
      tell(withQueue: true)
      return .nothing
    }
    tell(withQueue: false)
    return route.endpoint == .setMode ? .nothing : .word("OK")
  }

  /// A form is searched for its file's name; nothing else of it is kept.
  private func take(_ request: IncomingRequest) -> OddAnswer {
    let head = String(decoding: request.body.prefix(1000), as: UTF8.self)
    let parts = head.split(separator: "filename=\"", maxSplits: 1)
    guard request.contentType?.hasPrefix("multipart/form-data") == true, parts.count == 2,
      let name = parts[1].split(separator: "\"").first, head.contains("name=\"file\"")
    else { return .word("no file", status: 422) }
    let title = String(name.split(separator: ".").first ?? name)
    songs.append(Song(id: "no. \(title)", title: title))
    return .word("thanks")
  }

  private func changeLists(_ route: Route, _ request: IncomingRequest) -> OddAnswer {
    let details = try? WireJSON.decode(RequestBody.Details.self, from: request.body)
    if route.endpoint == .createPlaylist {
      guard let name = details?.name else { return .word("a name, please", status: 422) }
      lists[number()] = List(name: name)
      return OddAnswer(status: 200, type: nil)
    }
    if route.endpoint == .copySharedPlaylist {
      guard var copy = lists.values.first(where: { $0.token == route.parameter }) else {
        return .page(404, "No Such List")
      }
      copy.token = nil
      lists[number()] = copy
      return .nothing
    }
    guard let number = Int(route.parameter), var list = lists[number] else {
      return .page(404, "No Such List")
    }
    switch route.endpoint {
    case .editPlaylist:
      list.name = details?.name ?? list.name
      list.isPublic = details?.isPublic ?? list.isPublic
    case .editPlaylistTracks:
      guard let edit = try? WireJSON.decode(QueueEdit.self, from: request.body),
        apply(edit, to: &list.songs)
      else { return .word("that does not work", status: 422) }
    case .sharePlaylist: list.token = "tok-\(number)"
    case .unsharePlaylist: list.token = nil
    default:
      lists[number] = nil
      return .nothing
    }
    lists[number] = list
    return route.endpoint == .sharePlaylist
      ? .json("{\"token\":\"tok-\(number)\"}") : .word("changed")
  }

  private func imports(_ route: Route, _ request: IncomingRequest) -> OddAnswer {
    switch route.endpoint {
    case .fetch:
      let body = try? WireJSON.decode(RequestBody.Fetch.self, from: request.body)
      guard let url = body?.url, url.hasPrefix("http") else {
        return .word("no address", status: 422)
      }
      guard url.hasSuffix("/list") else {
        jobs.append(Job(id: number(), title: "Fig", url: url))
        return .json(#"{"title":"Fig","quality":"high"}"#)
      }
      return .json(
        """
        {"type":"playlist","title":"Orchard","count":2,"requiresConfirmation":1,"items":[
        {"url":"http://odd.test/gum","title":"Gum"},{"url":"http://odd.test/hazel","title":"Hazel"}]}
        """)
    case .confirmFetch:
      let body = try? WireJSON.decode(FetchConfirmation.self, from: request.body)
      for item in body?.items ?? [] {
        jobs.append(Job(id: number(), title: item.title ?? "?", url: item.url))
      }
      return .word("on its way", status: 202)
    case .fetchJobs: return .json(jobsText())
    case .cancelFetch:
      guard let index = jobs.firstIndex(where: { "\($0.id)" == route.parameter }) else {
        return .page(404, "No Such Job")
      }
      jobs[index].isCancelled = true
      return .nothing
    default:
      for index in jobs.indices { jobs[index].isCancelled = true }
      return .word("all gone")
    }
  }
}
