package import RoomProtocol
import Storage
import Transport

/// What the owner of a server can do beside the protocol: for tests, and for `demo`.
extension Server {
  /// The connections open now, HTTP and WebSocket together; 0 where the server isn't running.
  package var connectionCount: Int {
    get async { await perform { $0.webServer.connectionCount } ?? 0 }
  }

  /// The WebSockets open now; 0 where the server isn't running.
  package var socketCount: Int {
    get async { await perform { $0.listeners.count } ?? 0 }
  }

  /// Makes a user; the first one is the admin.
  ///
  /// - Parameters:
  ///   - username: the name to sign in with.
  ///   - password: kept as its hash alone.
  /// - Throws: `ServiceError.userExists`, or `notRunning`.
  package func createUser(_ username: String, password: String) async throws(ServiceError) {
    let hash = await Worker.hash(password)
    let created = await perform { host in
      (try? host.users.create(username: username, password: hash)) ?? nil
    }
    guard let created else { throw .notRunning }
    guard created != nil else { throw .userExists(username) }
  }

  /// Opens a session without a password, for tests: hashing one takes 50 ms of a core.
  ///
  /// - Parameter username: a user who is made where there is none, with no password that fits.
  /// - Returns: the value of a `Cookie` header, such as `blastoise_session=4f...`.
  /// - Throws: `ServiceError.notRunning`.
  package func session(of username: String) async throws(ServiceError) -> String {
    let token = await perform { host -> String? in
      let nobodys = PasswordHash(encoded: "none")
      guard
        let user = try? host.users.find(username: username)?.user
          ?? host.users.create(username: username, password: nobodys)
      else { return nil }
      return try? host.users.open(user).token
    }
    guard let token = token ?? nil else { throw .notRunning }
    return "\(SessionCookie.name)=\(token)"
  }

  /// Adds tracks to the library, beside those of the music folder.
  ///
  /// - Parameters:
  ///   - tracks: added to the default channel too.
  ///   - files: the absolute paths of their bytes; a track without one answers 404.
  package func add(_ tracks: [Track], files: [TrackID: String] = [:]) async {
    let entries = tracks.map { LibraryEntry(track: $0, path: files[$0.id]) }
    _ = await perform { host in
      host.addedEntries += entries
      host.publishLibrary()
    }
  }

  /// Looks at the music folder again, and waits until that is done.
  package func rescan() async {
    _ = await perform { $0.scanLibrary() }
    await scanned()
  }

  /// Changes how the server misbehaves from now on.
  package func setFaults(_ faults: Faults) async {
    _ = await perform { $0.setFaults(faults) }
  }

  /// Closes all WebSockets with a code, or, with 0, without a word.
  package func dropSockets(code: UInt16 = 1012) async {
    _ = await perform { host in
      for listener in host.listeners.values { listener.socket.close(code: code) }
    }
  }

  /// Sends a text frame to all WebSockets, as it stands.
  package func sendText(_ text: String) async {
    _ = await perform { host in
      let frame = TextFrame(Array(text.utf8))
      for listener in host.listeners.values { listener.socket.send(frame) }
    }
  }

  /// Sends a message of the protocol to all WebSockets.
  package func broadcast(_ message: ServerMessage) async {
    _ = await perform { $0.broadcast(message) }
  }

  /// What the server holds true of a channel now, with its queue.
  ///
  /// - Parameter channel: nil is the default one.
  /// - Returns: nil where there is no such channel, or the server isn't running.
  package func state(of channel: ChannelID? = nil) async -> ChannelState? {
    await perform { host in
      guard let channel = host.channel(orLobby: channel) else { return nil }
      var state = channel.state(at: host.now, listeners: host.names(in: channel))
      state.queue = channel.queue.tracks.map { host.library.track($0) }
      return state
    } ?? nil
  }

  /// Does what a client's action asks, with nobody's permission; `switch` does nothing.
  package func control(_ action: ClientAction, in channel: ChannelID? = nil) async {
    _ = await perform { host in
      guard let channel = host.channel(orLobby: channel) else { return }
      host.perform(action, on: channel)
    }
  }

  /// Sets a channel's mode.
  package func setMode(_ mode: PlaybackMode, of channel: ChannelID? = nil) async {
    _ = await perform { host in
      guard let channel = host.channel(orLobby: channel) else { return }
      channel.mode = mode
      host.controlled(channel)
    }
  }

  /// Edits a channel's queue.
  ///
  /// - Returns: false where it was refused.
  @discardableResult
  package func edit(_ edit: QueueEdit, of channel: ChannelID? = nil) async -> Bool {
    await perform { host in
      guard let channel = host.channel(orLobby: channel),
        (try? channel.edit(edit, at: host.now)) != nil
      else { return false }
      host.changed(channel)
      host.sendState(of: channel, withQueue: true)
      return true
    } ?? false
  }

  /// Makes a channel.
  ///
  /// - Returns: its id, nil where the server isn't running.
  @discardableResult
  package func createChannel(name: String) async -> ChannelID? {
    await perform { host in (try? host.makeChannel(name: name))?.id } ?? nil
  }
}
