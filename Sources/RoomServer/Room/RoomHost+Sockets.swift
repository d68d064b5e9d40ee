import RoomProtocol
import Transport

/// The WebSockets: who may have one, and what they say.
extension RoomHost {
  func decide(onUpgrade request: IncomingRequest) -> UpgradeDecision {
    if faults.rejectsEveryone { return .refuse(.error(401, "not signed in")) }
    if let status = faults.refusesUpgrades { return .refuse(.error(status, "refused")) }
    guard let route = Route(method: "GET", path: request.path, isEncoded: false),
      route.endpoint == .socket, let channel = channel(ChannelID(route.parameter))
    else { return .refuse(.error(404, "no such channel")) }
    do {
      let (session, cookie) = try sessionForSocket(request)
      guard let session else { return .refuse(.error(401, "not signed in")) }
      return .accept(
        SocketUpgrade(headers: cookie) { [weak self] socket in
          self?.opened(socket, of: session, in: channel)
        })
    } catch {
      log("database: \(error)")
      return .refuse(.error(500, "internal error"))
    }
  }

  private func sessionForSocket(
    _ request: IncomingRequest
  ) throws -> (Session?, HTTPHeaders) {
    if let session = try session(of: request) { return (session, HTTPHeaders()) }
    guard configuration.allowsGuests else { return (nil, HTTPHeaders()) }
    let (token, session) = try users.openGuest()
    return (session, cookie(token: token))
  }

  private func opened(_ socket: AcceptedSocket, of session: Session, in channel: Channel) {
    // The channel may have been deleted between the handshake's two halves.
    guard let channel = self.channel(channel.id) ?? lobby else { return socket.close(code: 1011) }
    listeners[socket.id] = Listener(socket: socket, session: session, channel: channel.id)
    socket.setStalled(faults.stallsSockets)
    sendFirstState(of: channel, to: socket)
    socket.send(frame(of: .channelList(TolerantList(channelInfos))))
    channelListChanged()
  }

  func closed(_ socket: AcceptedSocket) {
    guard listeners.removeValue(forKey: socket.id) != nil else { return }
    channelListChanged()
  }

  func received(_ text: [UInt8], on socket: AcceptedSocket) {
    guard let listener = listeners[socket.id] else { return }
    guard let action = try? WireJSON.decode(ClientAction.self, from: text) else {
      return socket.send(frame(of: .error(message: "not understood")))
    }
    if case .switch(let target) = action { return switchChannel(of: listener, to: target) }
    // Whoever may not control is ignored without an answer.
    guard !listener.session.user.isGuest, !faults.ignoresControl,
      let channel = channel(listener.channel)
    else { return }
    perform(action, on: channel)
  }

  /// Does what an action asks, whoever asked.
  func perform(_ action: ClientAction, on channel: Channel) {
    switch action {
    case .pause: guard channel.setPaused(true, at: now) else { return }
    case .unpause: guard channel.setPaused(false, at: now) else { return }
    case .seek(let timestamp):
      guard let position = Self.milliseconds(timestamp) else { return }
      channel.seek(to: position, at: now)
    case .jump(let index): channel.jump(to: index, at: now)
    case .switch: return
    }
    controlled(channel)
  }

  /// To be called after a change of what plays and where: everyone hears of it.
  func controlled(_ channel: Channel) {
    changed(channel)
    sendState(of: channel, withQueue: false)
  }

  /// Seconds from the wire in milliseconds; nil for what is no number.
  static func milliseconds(_ seconds: Double) -> Int64? {
    guard seconds.isFinite else { return nil }
    return Int64(max(-1e9, min(1e9, seconds)) * 1000)
  }

  /// Moves a listener to another channel.
  func switchChannel(of listener: Listener, to target: ChannelID) {
    guard let channel = channel(target) else {
      return listener.socket.send(frame(of: .error(message: "no such channel")))
    }
    listeners[listener.socket.id]?.channel = channel.id
    listener.socket.send(frame(of: .switched(to: channel.id)))
    sendFirstState(of: channel, to: listener.socket)
    channelListChanged()
  }

  /// Ends the other sessions' sockets of a user.
  func kickOthers(than session: Session) {
    let kick = frame(of: .kick(reason: "Kicked by another session"))
    for listener in listeners.values
    where listener.session.user.id == session.user.id && !listener.session.user.isGuest
      && listener.session.key != session.key
    {
      listener.socket.send(kick)
      listener.socket.close(code: 1008, reason: "kicked")
    }
  }

  /// What a logout does to the session's sockets: they go on as a guest's, or end.
  func demote(_ session: Session) {
    for (id, listener) in listeners where listener.session.key == session.key {
      guard configuration.allowsGuests else {
        listener.socket.close(code: 1008, reason: "signed out")
        continue
      }
      listeners[id]?.session.user = User(isGuest: true)
    }
    channelListChanged()
  }
}
