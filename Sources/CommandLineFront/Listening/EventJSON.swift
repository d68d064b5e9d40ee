import Caching
import Listening
import Playback
import RoomClient
import RoomProtocol

/// A listener's events as programs read them: one object a line (docs/json.md).
struct EventJSON {
  /// Seconds since 1970 at which the event was told.
  var at: Double
  /// Turns an instant of the monotonic clock into seconds since 1970.
  var wallClock: (ContinuousClock.Instant) -> Double

  /// An encoder for an event told now.
  static func now() -> EventJSON {
    let now = ContinuousClock.now
    let wall = wallTime()
    return EventJSON(at: wall, wallClock: { wall + ($0 - now).inSeconds })
  }

  /// The event's object; nil for what only people are told.
  func object(_ event: ListeningEvent) -> JSONValue? {
    guard let (name, members) = content(of: event) else { return nil }
    return .object(
      [.init(key: "event", value: .text(name)), .init(key: "at", value: .number(at))]
        + members.map { .init(key: $0.0, value: $0.1) })
  }

  private typealias Members = [(String, JSONValue)]

  private func content(of event: ListeningEvent) -> (String, Members)? {
    roomContent(of: event) ?? newsContent(of: event) ?? soundContent(of: event)
  }

  private func roomContent(of event: ListeningEvent) -> (String, Members)? {
    switch event {
    case .connected(let channel, let user):
      return (
        "connected",
        [
          ("channel_id", .text(channel.id.rawValue)), ("channel", .text(channel.name)),
          ("user", JSONValue(user?.username)), ("guest", JSONValue(user?.isGuest)),
        ]
      )
    case .disconnected(let interruption):
      return (
        "disconnected",
        [
          ("reason", .text(EventText.reason(interruption.reason))),
          ("retry_s", JSONValue(interruption.retryAfter.inSeconds)),
        ]
      )
    case .offline(let count): return ("offline", [("cached", JSONValue(count))])
    case .serverMoved(let address):
      return ("server_moved", [("server", .text(address.description))])
    case .sessionExpired(let user, let now):
      return ("session_expired", [("user", .text(user)), ("now", JSONValue(now?.username))])
    case .switched(let channel):
      return (
        "switched",
        [("channel_id", .text(channel.id.rawValue)), ("channel", .text(channel.name))]
      )
    case .channels(let channels):
      return ("channels", [("channels", .list(channels.map(JSONValue.init(channel:))))])
    case .source(let source): return ("source", [("source", .text(source.rawValue))])
    case .track(let track, let index, let source):
      return (
        "track",
        [
          ("track", track.map(JSONValue.init(track:)) ?? .null), ("index", JSONValue(index)),
          ("source", .text(source.rawValue)),
        ]
      )
    case .state(let state, let source):
      return (
        "state",
        [
          ("source", .text(source.rawValue)), ("channel_id", JSONValue(state.channelID?.rawValue)),
          ("paused", .bool(state.paused)), ("position", JSONValue(state.currentTimestamp)),
          ("index", JSONValue(state.currentIndex)),
          ("mode", .text(state.playbackMode.name)), ("listeners", JSONValue(state.listenerCount)),
        ]
      )
    case .queue(let tracks, let index):
      return ("queue", [("length", JSONValue(tracks.count)), ("index", JSONValue(index))])
    case .serverError(let message): return error(message)
    case .strangeFrame(let what): return error(what)
    case .ignored(let action): return error(EventText.ignored(action))
    default: return nil
    }
  }

  private func newsContent(of event: ListeningEvent) -> (String, Members)? {
    switch event {
    case .scan(let scanning, let processed, let total):
      return (
        "scan",
        [
          ("scanning", .bool(scanning)), ("processed", JSONValue(processed)),
          ("total", JSONValue(total)),
        ]
      )
    case .kick(let reason): return ("kick", [("reason", .text(reason))])
    case .toast(let message, let kind):
      return ("toast", [("message", .text(message)), ("kind", .text(kind))])
    case .fetch(let update):
      return (
        "fetch",
        [
          ("type", .text(update.type)), ("id", JSONValue(update.id?.rawValue)),
          ("status", JSONValue(update.status)), ("progress", JSONValue(update.progress)),
          ("title", JSONValue(update.title)), ("message", JSONValue(update.message)),
          ("track_id", JSONValue(update.trackID?.rawValue)),
        ]
      )
    default: return nil
    }
  }

  private func soundContent(of event: ListeningEvent) -> (String, Members)? {
    switch event {
    case .position(let report):
      return (
        "position",
        [
          ("position", JSONValue(report.position.inSeconds)),
          ("expected", JSONValue(report.expected?.inSeconds)),
          ("drift_ms", JSONValue(report.drift.map { $0.inSeconds * 1000 })),
          ("buffered_s", JSONValue(report.buffered.inSeconds)),
          ("xruns", JSONValue(report.underruns)),
        ]
      )
    case .started(let track): return ("started", [("track_id", .text(track.id.rawValue))])
    case .ended(let track): return ("ended", [("track_id", .text(track.id.rawValue))])
    case .seek(let position): return ("seek", [("position", JSONValue(position.inSeconds))])
    case .skip(let distance): return ("skip", [("by_ms", JSONValue(distance.inSeconds * 1000))])
    case .underrun(let count): return ("underrun", [("xruns", JSONValue(count))])
    case .starved(let track): return ("starved", [("track_id", .text(track.id.rawValue))])
    case .download(let event): return download(event)
    case .device(let name, let format, let origin):
      return (
        "device",
        [
          ("name", .text(name)), ("rate", JSONValue(format.rate)),
          ("format", .text(format.sampleFormat)), ("buffer_frames", JSONValue(format.buffer)),
          ("first_frame_at", .number(wallClock(origin))),
        ]
      )
    case .deviceFailed(let failure): return error(Diagnostic(describing: failure).message)
    case .deviceReleased: return ("device_released", [])
    case .unplayable(let track, let reason):
      return error(EventText.unplayable(track, reason), track: track)
    default: return nil
    }
  }

  private func download(_ event: CacheEvent) -> (String, Members)? {
    let (id, state): (TrackID?, String) =
      switch event {
      case .started(let id, _): (id, "started")
      case .finished(let id, _): (id, "finished")
      case .notKept(let id, _): (id, "not_kept")
      case .failed(let id, _): (id, "failed")
      case .mended: (nil, "mended")
      }
    return ("download", [("track_id", JSONValue(id?.rawValue)), ("state", .text(state))])
  }

  private func error(_ message: String, track: Track? = nil) -> (String, Members) {
    var members: Members = [("message", .text(message))]
    if let track { members.append(("track_id", .text(track.id.rawValue))) }
    return ("error", members)
  }
}

extension JSONValue {
  /// A track, as it stands in every command's JSON.
  init(track: Track) {
    self = [
      "id": .text(track.id.rawValue), "title": .text(track.displayTitle),
      "artist": JSONValue(track.artist), "album": JSONValue(track.album),
      "duration": JSONValue(track.duration),
    ]
  }

  /// A channel, as it stands in every command's JSON.
  init(channel: ChannelInfo) {
    self = [
      "id": .text(channel.id.rawValue), "name": .text(channel.name),
      "description": .text(channel.description), "tracks": JSONValue(channel.trackCount),
      "listeners": JSONValue(channel.listenerCount),
      "default": .bool(channel.isDefault), "created_by": JSONValue(channel.createdBy),
    ]
  }
}

extension Duration {
  /// The time in seconds.
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
