import RoomProtocol
import RoomSync
import TestSupport

/// A table of Fixtures/scenarios.
struct Scenario: Sendable {
  struct Row: Sendable {
    var line: Int
    var time: Duration
    var event: String
    var actions: String
  }

  struct Mistake: Error {
    var text: String
  }

  var rows: [Row] = []

  init(named name: String) throws {
    let text = String(decoding: try Fixture.bytes("scenarios/\(name)"), as: UTF8.self)
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !line.isEmpty && !line.hasPrefix("#") {
      let cells = line.split(separator: "|").map { words($0).joined(separator: " ") }
      guard cells.count == 3, let seconds = Double(cells[0]) else {
        throw Mistake(text: "\(name):\(number + 1): \(line)")
      }
      rows.append(
        Row(
          line: number + 1, time: .milliseconds(Int((seconds * 1000).rounded())),
          event: cells[1], actions: cells[2]))
    }
  }
}

func words(_ text: some StringProtocol) -> [String] {
  text.split { $0 == " " }.map { String($0) }
}

/// Seconds as text, exact to the millisecond.
func seconds(_ duration: Duration) -> String {
  let rounded = (duration.wireSeconds * 1000).rounded() / 1000
  return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
}

extension SyncEvent {
  /// Reads an event as the tables write it.
  init(_ text: String) throws {
    var rest = words(text)
    let name = rest.removeFirst()
    switch name {
    case "joined": self = .joined(ChannelID(rest[0]))
    case "state": self = .state(try ChannelState(words: rest))
    case "queue":
      self = .queue(rest.dropFirst().map { Track(id: TrackID($0)) }, of: ChannelID(rest[0]))
    case "tick":
      self = .tick(
        heard: Double(rest[0]).map { Duration(wireSeconds: $0) }, of: try LoadID(text: rest[1]))
    case "started": self = .started(try LoadID(text: rest[0]))
    case "ended": self = .ended(try LoadID(text: rest[0]))
    case "failed": self = .failed(try LoadID(text: rest[0]))
    case "disconnected": self = .disconnected
    case "kicked": self = .kicked(reason: rest.joined(separator: " "))
    case "left": self = .left
    default: throw Scenario.Mistake(text: text)
    }
  }
}

extension LoadID {
  init(text: String) throws {
    guard text.hasPrefix("#"), let number = UInt64(text.dropFirst()) else {
      throw Scenario.Mistake(text: text)
    }
    self.init(rawValue: number)
  }
}

extension ChannelState {
  /// Reads `a at 10 of 180 paused in lobby index 2 unavailable`, or `none`.
  init(words: [String]) throws {
    var rest = words[...]
    let id = rest.removeFirst()
    var track = Track(id: TrackID(id))
    self.init(paused: false)
    while let word = rest.popFirst() {
      switch word {
      case "at": currentTimestamp = Double(rest.popFirst() ?? "") ?? 0
      case "of": track.duration = Double(rest.popFirst() ?? "")
      case "index": currentIndex = Int(rest.popFirst() ?? "") ?? 0
      case "in": channelID = ChannelID(rest.popFirst() ?? "")
      case "paused": paused = true
      case "unavailable": track.available = false
      case "empty-queue": queue = []
      default: throw Scenario.Mistake(text: word)
      }
    }
    self.track = id == "none" ? nil : track
  }
}

extension SyncAction {
  /// The action as the tables write it.
  func text(at instant: ContinuousClock.Instant) -> String {
    switch self {
    case .load(let track, let id, let timeline):
      "load \(track.id) \(id) \(timeline.text(at: instant))"
    case .seek(let id, let timeline): "seek \(id) \(timeline.text(at: instant))"
    case .play(let id, let timeline): "play \(id) \(timeline.text(at: instant))"
    case .pause(let id, let position): "pause \(id) at \(seconds(position))"
    case .stop: "stop"
    case .end(let reason): "end \(reason)"
    }
  }
}

extension ChannelTimeline {
  func text(at instant: ContinuousClock.Instant) -> String {
    "at \(seconds(position(at: instant)))\(paused ? " paused" : "")"
  }
}
