import Glibc
import Listening
import PCM
import Playback
import RoomClient
import RoomProtocol
import RoomSync

/// What `status` tells, as one object (docs/json.md); the same whether a listener answers or the
/// server.
enum StatusJSON {
  /// What a running listener hears.
  static func listening(_ snapshot: ListeningSnapshot, instance: String) -> JSONValue {
    var members = room(
      snapshot.state, queue: snapshot.queue, server: snapshot.server, user: snapshot.user,
      channel: snapshot.channel)
    members.insert(("listening", .bool(true)), at: 0)
    members.insert(("instance", .text(instance)), at: 1)
    members.insert(("connection", .text(connection(snapshot))), at: 3)
    members += [
      ("position", seconds(snapshot.heard)), ("expected", seconds(snapshot.expected)),
      ("drift", seconds(snapshot.drift)), ("uncertainty", .null), ("ppm", .null),
      ("corrections", JSONValue(snapshot.corrections)),
      ("underruns", JSONValue(snapshot.underruns)),
      ("buffer", snapshot.isKept == nil ? .null : seconds(snapshot.buffered)),
      ("cache", cache(snapshot)), ("device", device(snapshot.device)),
      ("volume", JSONValue(snapshot.volume)), ("muted", .bool(snapshot.isMuted)),
      ("latency_ms", JSONValue(Int((snapshot.latency.inSeconds * 1000).rounded()))),
    ]
    return object(members)
  }

  /// What a server says of a room where no listener runs.
  static func reading(
    _ room: RoomPicture, server: ServerAddress, user: User?, instance: String
  ) -> JSONValue {
    var members = self.room(
      room.state, queue: nil, server: server, user: user,
      channel: ChannelInfo(id: room.id, name: room.name))
    members.insert(("listening", .bool(false)), at: 0)
    members.insert(("instance", .text(instance)), at: 1)
    members.insert(("connection", .text("none")), at: 3)
    members += [("position", .null), ("expected", seconds(room.position))]
    let unheard = [
      "drift", "uncertainty", "ppm", "corrections", "underruns", "buffer", "cache", "device",
      "volume", "muted", "latency_ms",
    ]
    return object(members + unheard.map { ($0, .null) })
  }

  private typealias Members = [(String, JSONValue)]

  private static func object(_ members: Members) -> JSONValue {
    .object(members.map { .init(key: $0.0, value: $0.1) })
  }

  private static func room(
    _ state: ChannelState?, queue: [Track]?, server: ServerAddress?, user: User?,
    channel: ChannelInfo?
  ) -> Members {
    let next = state.flatMap { state in queue.flatMap { nextTrack(in: $0, after: state) } }
    let row = state?.track == nil ? nil : state.map { $0.currentIndex + 1 }
    return [
      ("source", "room"), ("server", JSONValue(server?.description)),
      ("user", user.map(JSONValue.init(user:)) ?? .null),
      ("room", channel.map { room($0, state) } ?? .null),
      ("listeners", JSONValue(state?.listenerCount)),
      ("state", JSONValue(state.map(word))), ("mode", JSONValue(state?.playbackMode.name)),
      ("track", state?.track.map(JSONValue.init(track:)) ?? .null),
      ("next", next.map(JSONValue.init(track:)) ?? .null), ("row", JSONValue(row)),
      ("index", JSONValue(row.map { $0 - 1 })), ("queue_length", JSONValue(queue?.count)),
    ]
  }

  private static func room(_ channel: ChannelInfo, _ state: ChannelState?) -> JSONValue {
    ["id": .text(channel.id.rawValue), "name": .text(state?.name(of: channel) ?? channel.name)]
  }

  private static func word(_ state: ChannelState) -> String {
    state.track == nil ? "stopped" : state.paused ? "paused" : "playing"
  }

  /// The track that follows by itself; nil where luck or the room's people decide.
  static func nextTrack(in queue: [Track], after state: ChannelState) -> Track? {
    guard queue.indices.contains(state.currentIndex), state.track != nil else { return nil }
    switch state.playbackMode {
    case .repeatOne: return queue[state.currentIndex]
    case .repeatAll: return queue[(state.currentIndex + 1) % queue.count]
    case .once: return state.currentIndex + 1 < queue.count ? queue[state.currentIndex + 1] : nil
    default: return nil
    }
  }

  private static func connection(_ snapshot: ListeningSnapshot) -> String {
    if snapshot.isConnected { return "connected" }
    return snapshot.state == nil ? "connecting" : "lost"
  }

  private static func cache(_ snapshot: ListeningSnapshot) -> JSONValue {
    guard let isKept = snapshot.isKept else { return .null }
    return ["complete": .bool(isKept), "share": JSONValue(snapshot.loaded)]
  }

  private static func device(_ device: OpenDevice?) -> JSONValue {
    guard let device else { return .null }
    return [
      "name": .text(device.name), "rate": JSONValue(device.format.rate),
      "format": .text(device.format.sampleFormat),
    ]
  }

  /// Seconds, rounded to microseconds: a drift is small.
  private static func seconds(_ time: Duration?) -> JSONValue {
    time.map { .number(($0.inSeconds * 1e6).rounded() / 1e6) } ?? .null
  }
}

extension JSONValue {
  /// Somebody the server knows.
  init(user: User) {
    self = [
      "id": .integer(Int64(user.id)), "username": .text(user.username),
      "guest": .bool(user.isGuest), "admin": .bool(user.isAdmin),
    ]
  }
}
