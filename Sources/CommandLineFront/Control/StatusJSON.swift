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
      channel: snapshot.channel, cached: snapshot.cached, source: snapshot.source)
    members.insert(("listening", .bool(true)), at: 0)
    members.insert(("instance", .text(instance)), at: 1)
    members.insert(("connection", .text(connection(snapshot))), at: 3)
    members.insert(("outage", outage(snapshot.outage)), at: 4)
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
    _ room: RoomPicture, server: ServerAddress, user: User?, instance: String,
    cached: Set<TrackID>
  ) -> JSONValue {
    var members = self.room(
      room.state, queue: nil, server: server, user: user,
      channel: ChannelInfo(id: room.id, name: room.name), cached: cached)
    members.insert(("listening", .bool(false)), at: 0)
    members.insert(("instance", .text(instance)), at: 1)
    members.insert(("connection", .text("none")), at: 3)
    members.insert(("outage", .null), at: 4)
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
    channel: ChannelInfo?, cached: Set<TrackID>, source: ListeningSource = .room
  ) -> Members {
    let next = state.flatMap { state in queue.flatMap { state.following(in: $0) } }
    let row = state?.track == nil ? nil : state.map { $0.currentIndex + 1 }
    return [
      ("source", .text(source.rawValue)), ("server", JSONValue(server?.description)),
      ("user", user.map(JSONValue.init(user:)) ?? .null),
      ("room", channel.map { room($0, state) } ?? .null),
      ("listeners", source == .room ? JSONValue(state?.listenerCount) : .null),
      ("state", JSONValue(state.map(word))), ("mode", JSONValue(state?.playbackMode.name)),
      ("track", JSONValue(state?.track, cached)), ("next", JSONValue(next, cached)),
      ("row", JSONValue(row)), ("index", JSONValue(row.map { $0 - 1 })),
      ("queue_length", JSONValue(queue?.count)),
    ]
  }

  private static func room(_ channel: ChannelInfo, _ state: ChannelState?) -> JSONValue {
    ["id": .text(channel.id.rawValue), "name": .text(state?.name(of: channel) ?? channel.name)]
  }

  private static func word(_ state: ChannelState) -> String {
    state.track == nil ? "stopped" : state.paused ? "paused" : "playing"
  }

  private static func connection(_ snapshot: ListeningSnapshot) -> String {
    if snapshot.source == .library { return "none" }
    if snapshot.isConnected { return "connected" }
    return snapshot.state == nil ? "connecting" : "lost"
  }

  private static func cache(_ snapshot: ListeningSnapshot) -> JSONValue {
    guard let isKept = snapshot.isKept else { return .null }
    return [
      "complete": .bool(isKept), "share": JSONValue(snapshot.loaded),
      "segments": .list(snapshot.segments.map { JSONValue($0) }),
    ]
  }

  private static func outage(_ outage: Outage?) -> JSONValue {
    guard let outage else { return .null }
    return [
      "since": JSONValue(outage.since), "reason": .text(EventText.reason(outage.reason)),
      "retry_s": JSONValue(max(0, (outage.retryAt - .now).inSeconds)),
      "cached": JSONValue(outage.cached),
    ]
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
  /// A track, or null, and whether it is one of those in the cache.
  init(_ track: Track?, _ cached: Set<TrackID>) {
    guard let track, case .object(let members) = JSONValue(track: track) else {
      self = .null
      return
    }
    self = .object(members + [.init(key: "cached", value: .bool(cached.contains(track.id)))])
  }

  /// Somebody the server knows.
  init(user: User) {
    self = [
      "id": .integer(Int64(user.id)), "username": .text(user.username),
      "guest": .bool(user.isGuest), "admin": .bool(user.isAdmin),
    ]
  }
}
