import Caching
import Listening
import Playback
import RoomClient
import RoomProtocol

/// Lets people be told once that tracks can't be kept, until one can again.
struct KeepingNews {
  private var isTold = false

  /// Whether an event of the cache is worth a line.
  mutating func isNews(_ event: CacheEvent) -> Bool {
    switch event {
    case .notKept(_, CacheError.busy): return false
    case .notKept:
      defer { isTold = true }
      return !isTold
    case .finished: isTold = false
    default: break
    }
    return true
  }
}

/// A listener's events as people read them: a line each, or nothing for what the now-playing line
/// shows.
enum EventText {
  /// The event's line, fit for a terminal; nil where there is nothing to say.
  static func line(_ event: ListeningEvent, isVerbose: Bool) -> String? {
    switch event {
    case .connected(let channel, let user):
      let name = user.map { " as \(Printable.escaped($0.username))" } ?? ""
      return "joined \(Printable.escaped(channel.name))\(name)"
    case .disconnected(let interruption): return outage(interruption, isVerbose: isVerbose)
    case .offline(let count): return offline(count)
    case .source(.library): return "library, not in sync with anyone; `join` leads back"
    case .source(.room): return nil
    case .track(let track?, let index, _): return "\(index + 1). \(title(track))"
    case .track(nil, _, _): return "nothing plays"
    case .seek(let position): return "the room is at \(TimeText.text(position)): moved there"
    case .skip(let distance):
      let milliseconds = JSONValue(distance.inSeconds * 1000).description
      return isVerbose ? "skipped \(milliseconds) ms to be in time" : nil
    case .underrun(let count): return "the device ran dry (\(count))"
    case .starved(let track): return "waiting for the bytes of \(name(track))"
    case .device(let name, let format, _):
      return isVerbose
        ? "device \(Printable.escaped(name)): \(format.rate) Hz, \(format.sampleFormat)" : nil
    case .deviceFailed(let error):
      let trouble = Diagnostic(describing: error)
      return trouble.message + "; it is tried again" + (trouble.hint.map { " (\($0))" } ?? "")
    case .toast(let message, _): return Printable.escaped(message)
    case .unplayable(let track, let reason): return unplayable(track, reason)
    case .serverError(let message): return "the server says: \(Printable.escaped(message))"
    case .ignored(let action): return ignored(action)
    case .strangeFrame(let what): return isVerbose ? Printable.escaped(what) : nil
    case .download(let event): return download(event, isVerbose: isVerbose)
    case .serverMoved(let address):
      return "the server is at \(Printable.escaped(address.description)) now"
    case .sessionExpired(let user, let now):
      let name = now.map { " as \(Printable.escaped($0.username))" } ?? ""
      return "the session of \(Printable.escaped(user)) has expired: going on\(name), a guest "
        + "(blastoise login signs in again)"
    case .switched(let channel): return "moved to \(Printable.escaped(channel.name))"
    case .state(let state, _):
      let place = TimeText.text(Duration(wireSeconds: state.currentTimestamp))
      return state.track == nil ? nil : state.paused ? "paused at \(place)" : "goes on at \(place)"
    // A kick is told as the reason for the program's end.
    case .channels, .queue, .position, .started, .ended, .deviceReleased, .scan, .fetch, .kick:
      return nil
    }
  }

  /// A track as people name it: artist and title.
  static func title(_ track: Track) -> String {
    let artist = track.artist.map { "\(Printable.escaped($0)) - " } ?? ""
    let length = track.length.map { " (\(TimeText.text($0)))" } ?? ""
    return artist + Printable.escaped(track.displayTitle) + length
  }

  private static func name(_ track: Track) -> String {
    "\"\(Printable.escaped(track.displayTitle))\""
  }

  private static func outage(
    _ interruption: ListeningEvent.Interruption, isVerbose: Bool
  ) -> String {
    let wait = isVerbose ? ", in \(TimeText.text(interruption.retryAfter))" : ""
    let what = reason(interruption.reason)
    if case .failed = interruption.reason { return "\(what); it is tried again\(wait)" }
    return "connection lost: \(what); it is tried again\(wait)"
  }

  /// What can be done without the server; nil where that is nothing.
  static func offline(_ cached: Int) -> String? {
    guard cached > 0 else { return nil }
    let (are, them) = cached == 1 ? ("is", "it") : ("are", "them")
    let what = "\(counted(cached, "track")) \(are) cached"
    return "meanwhile: \(what), blastoise library play plays \(them)"
  }

  /// Why a connection is gone.
  static func reason(_ reason: ListeningEvent.Interruption.Reason) -> String {
    switch reason {
    case .failed(let error): return Diagnostic(describing: error).message
    case .closed(let code, let text):
      let words = text.isEmpty ? "closed by the server" : Printable.escaped(text)
      return code.map { "\(words) (\($0))" } ?? words
    }
  }

  /// Why a track is not heard.
  static func unplayable(_ track: Track, _ reason: ListeningEvent.Unplayable) -> String {
    switch reason {
    case .decoder(let error):
      return "cannot play \(name(track)): \(Diagnostic(describing: error).message)"
    case .download(let error, let retry):
      let then = retry == nil ? "silence until the next track" : "it is tried again"
      return "cannot get \(name(track)): \(Diagnostic(describing: error).message); \(then)"
    case .passedOver(let error):
      return "cannot get \(name(track)): \(Diagnostic(describing: error).message)"
    case .truncated(let place, let length):
      let (end, whole) = (TimeText.text(place), TimeText.text(length))
      return "\(name(track)) is cut off at \(end) of \(whole)"
    case .unavailable: return "\(name(track)) is not available on the server"
    }
  }

  /// A wish that the room did not follow.
  static func ignored(_ action: ClientAction) -> String {
    let what =
      switch action {
      case .pause: "pause"
      case .unpause: "play"
      case .seek: "seek"
      case .jump: "jump"
      case .switch: "switch"
      }
    return "the room did not follow: \(what) (blastoise whoami shows what you may do)"
  }

  /// A damaged index; nil where another process has said so.
  static func mended(_ mending: CacheMending) -> String? {
    mending.setAside.map { path in
      "the cache's index was damaged: \(counted(mending.tracks, "track")) of it could be saved; "
        + "the old one is \(Printable.escaped(path)) now"
    }
  }

  private static func download(_ event: CacheEvent, isVerbose: Bool) -> String? {
    switch event {
    case .started, .finished, .failed: return nil
    case .mended(let mending): return mended(mending)
    case .notKept(_, let reason):
      return "tracks can't be kept: \(Diagnostic(describing: reason).message)"
    }
  }
}
