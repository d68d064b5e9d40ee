import RoomProtocol
import Storage
import Transport

/// Channels: to read, make, rename, delete and control them, and to edit their queues.
extension RoomHost {
  func listChannels() throws -> OutgoingResponse {
    try .value(channelInfos)
  }

  func readChannel(_ call: Call) throws -> OutgoingResponse {
    let channel = try wanted(call)
    return OutgoingResponse(
      json: channel.encodedState(at: now, listeners: names(in: channel), withQueue: false))
  }

  func createChannel(_ call: Call) throws -> OutgoingResponse {
    let details: RequestBody.Details = try call.body()
    let channel = try makeChannel(
      name: details.neededName(), description: details.givenDescription() ?? "",
      createdBy: call.session?.user.id)
    return try .value(channel.info(listeners: []), status: 201)
  }

  /// Makes an empty channel.
  func makeChannel(
    name: String, description: String = "", createdBy: Int? = nil
  ) throws -> Channel {
    let stored = StoredChannel(
      id: ChannelID(Hex.string(SecureRandom.bytes(6))), name: name, description: description,
      createdBy: createdBy)
    try channelStore.save(stored)
    let channel = Channel(stored, library: library, now: now)
    channels.append(channel)
    channelListChanged()
    return channel
  }

  func editChannel(_ call: Call) throws -> OutgoingResponse {
    let channel = try wanted(call)
    try checkOwner(of: channel, call)
    let details: RequestBody.Details = try call.body()
    let (name, description) = (try details.givenName(), try details.givenDescription())
    channel.name = name ?? channel.name
    channel.description = description ?? channel.description
    controlled(channel)
    channelListChanged()
    return try .value(channel.info(listeners: names(in: channel)))
  }

  func deleteChannel(_ call: Call) throws -> OutgoingResponse {
    let channel = try wanted(call)
    guard !channel.isDefault else { throw Refusal(400, "the default channel stays") }
    try checkOwner(of: channel, call)
    try channelStore.delete(channel.id)
    channels.removeAll { $0 === channel }
    unsavedChannels.remove(channel.id)
    webServer.timers.cancel(exactAdvances.removeValue(forKey: channel.id))
    if let lobby {
      for listener in listeners.values where listener.channel == channel.id {
        switchChannel(of: listener, to: lobby.id)
      }
    }
    channelListChanged()
    return try .value(["success": true])
  }

  func jump(_ call: Call) throws -> OutgoingResponse {
    let channel = try wanted(call)
    let body: RequestBody.Jump = try call.body()
    guard channel.queue.current != nil else { throw Refusal(400, "the queue is empty") }
    channel.jump(to: body.index, at: now)
    controlled(channel)
    return try .value(["success": true])
  }

  func seek(_ call: Call) throws -> OutgoingResponse {
    let channel = try wanted(call)
    let body: RequestBody.Seek = try call.body()
    guard let position = Self.milliseconds(body.timestamp) else {
      throw Refusal(400, "no such position")
    }
    channel.seek(to: position, at: now)
    controlled(channel)
    return try .value(["success": true])
  }

  func setMode(_ call: Call) throws -> OutgoingResponse {
    let channel = try wanted(call)
    let body: RequestBody.Mode = try call.body()
    guard PlaybackMode.known.contains(body.mode) else { throw Refusal(400, "no such mode") }
    channel.mode = body.mode
    controlled(channel)
    return try .value(["success": true, "playbackMode": body.mode])
  }

  func editQueue(_ call: Call) throws -> OutgoingResponse {
    let channel = try wanted(call)
    let edit: QueueEdit = try call.body()
    do {
      try channel.edit(edit, at: now)
    } catch {
      throw Refusal(400, error.message)
    }
    changed(channel)
    sendState(of: channel, withQueue: true)
    if case .add(let ids, _) = edit, let first = ids.first {
      let title = library.track(first).displayTitle
      let message = ids.count == 1 ? "Added: \(title)" : "Added: \(ids.count) tracks"
      broadcast(.toast(message: message, kind: "info"), to: channel)
    }
    channelListChanged()
    return try .value(["success": true, "queueLength": channel.queue.tracks.count])
  }

  private func wanted(_ call: Call) throws(Refusal) -> Channel {
    guard let channel = channel(call.channelID) else { throw Refusal(404, "no such channel") }
    return channel
  }

  private func checkOwner(of channel: Channel, _ call: Call) throws(Refusal) {
    guard let user = call.session?.user, user.isAdmin || channel.createdBy == user.id else {
      throw Refusal(403, "the channel is someone else's")
    }
  }
}

extension ChannelQueue.Refusal {
  /// What the client is told.
  var message: String {
    switch self {
    case .unknownTrack(let id): "no such track: \(id.rawValue)"
    case .noSuchPosition(let position): "no such position: \(position)"
    case .repeatedPosition(let position): "position \(position) is named twice"
    case .tooLong: "that would be more than \(ChannelQueue.limit) tracks"
    }
  }
}
