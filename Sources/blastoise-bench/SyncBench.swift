import RoomProtocol
import RoomSync

/// How fast the room's word reaches the engine.
enum SyncBench {
  static func run() {
    engineSpeed()
    longQueue()
  }

  /// States as a busy room sends them: no queue, every fifth with another track.
  private static func engineSpeed() {
    let count = 200_000
    let start = ContinuousClock.now
    let tracks = (0..<50).map { track($0) }
    var actions = 0
    let time = Stopwatch.processor(runs: 3) {
      var engine = SyncEngine()
      _ = engine.handle(.joined("lobby"), at: start)
      for index in 0..<count {
        let state = ChannelState(
          track: tracks[index / 5 % tracks.count], currentTimestamp: Double(index % 5) * 0.1,
          channelID: "lobby", paused: false)
        actions += engine.handle(.state(state), at: start + .milliseconds(100 * index)).count
      }
    }
    precondition(actions > 0, "the engine did nothing")
    Figure(
      name: "engine, states", value: Double(count) / time / 1000, unit: "k states/s", digits: 0
    ).report()
  }

  private static func longQueue() {
    let tracks = (0..<10_000).map { track($0) }
    let state = ChannelState(
      track: tracks[5], currentTimestamp: 12.5, channelID: "lobby", paused: false,
      currentIndex: 5, queue: tracks)
    guard let frame = try? WireJSON.encode(state) else {
      return Figure.skip("state with 10,000 rows", because: "it could not be encoded")
    }
    let size = "\(fixed(Double(frame.count) / 1e6, digits: 1)) MB"
    var queueText: QueueText?
    let head = Stopwatch.processor {
      var engine = SyncEngine()
      _ = engine.handle(.joined("lobby"), at: .now)
      if case .state(let received) = ServerMessage(decoding: frame) {
        queueText = received.queueText
        _ = engine.handle(.state(received.state), at: .now)
      }
    }
    Figure(
      name: "state with 10,000 rows (\(size)), frame to engine", value: head * 1000, unit: "ms",
      digits: 1, due: .atMost(20)
    ).report()
    var rows = 0
    let queue = Stopwatch.processor(runs: 3) {
      rows = (try? queueText?.decode())?.elements.count ?? 0
    }
    guard rows == tracks.count else {
      return Figure.skip("the queue behind it", because: "\(rows) rows were read")
    }
    Figure(name: "the queue behind it, off the session", value: queue * 1000, unit: "ms", digits: 1)
      .report()
  }

  private static func track(_ number: Int) -> Track {
    let digits = String(number * 7919 + 1_000_003, radix: 16)
    let id = "sha256:" + String(repeating: digits, count: 64 / digits.count + 1).prefix(64)
    return Track(
      id: TrackID(rawValue: id), filename: "Artist \(number % 97)/Album/\(number) - Title.mp3",
      title: "Title of track \(number)", artist: "Artist \(number % 97)", album: "An album",
      duration: 180 + Double(number % 120), replayGainDB: -6.5, replayPeak: 0.98)
  }
}
