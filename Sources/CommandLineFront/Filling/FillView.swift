import Caching
import Listening
import RoomProtocol
import Synchronization

/// How a cache that is being filled is shown: bars on a terminal, a line a track elsewhere, an object
/// a track for programs.
///
/// Threading: from anywhere; the bars are drawn by `redraw`, ten times a second.
final class FillView: Sendable {
  private struct Running {
    var id: TrackID
    var download: Download
  }

  private struct State {
    var tally = FillTally()
    var tracks: [TrackID: Track] = [:]
    var running: [Running] = []
    var speed = SlidingSpeed()
    var lastNote = ""
    var isStopped = false
  }

  private let context: CommandContext
  private let gate: TransferGate
  private let playing: PlayingLock
  private let bars: BarStack?
  /// Whether the wanted tracks change: then nobody knows how much there is in all.
  private let follows: Bool
  private let state = Mutex(State())

  init(_ context: CommandContext, gate: TransferGate, follows: Bool) {
    self.context = context
    self.gate = gate
    playing = PlayingLock(folder: context.cacheFolder)
    self.follows = follows
    bars = context.console.canRedraw && !context.isJSON ? BarStack(context.console) : nil
  }

  /// What has become of the tracks so far.
  var tally: FillTally { state.withLock(\.tally) }

  /// Learns titles.
  func learn(_ tracks: [Track]) {
    state.withLock { state in for track in tracks { state.tracks[track.id] = track } }
  }

  /// Shows what has happened.
  func show(_ event: FillEvent) {
    switch event {
    case .wanted(let ids): state.withLock { $0.tally.want(ids) }
    case .started(let id, let download):
      state.withLock { $0.running.append(Running(id: id, download: download)) }
    case .postponed(let id, let error, let pause):
      forget(id)
      postpone(track(id), error, pause)
    case .ended(let id, let outcome):
      forget(id)
      state.withLock { $0.tally.take(id, outcome) }
      tell(track(id), outcome)
    }
  }

  /// Says that something is tried again; what keeps all waiting is said once.
  private func postpone(_ track: Track, _ error: any Error, _ pause: Duration) {
    let concernsAll = DownloadFailure.meaning(error) == .line
    let seconds = max(1, Int(pause.inSeconds.rounded()))
    let subject = concernsAll ? "waiting" : track.quotedName
    let line = "\(subject): \(FillTally.text(error, .missing)); again in \(seconds) s"
    let isNew = state.withLock { state in
      defer { state.lastNote = line }
      return state.lastNote != line
    }
    if isNew || !concernsAll { note(line) }
  }

  /// Writes a line that is no result.
  func note(_ line: String) {
    if let bars { bars.note(line) } else { context.console.note(line) }
  }

  private func track(_ id: TrackID) -> Track {
    state.withLock { $0.tracks[id] } ?? Track(id: id)
  }

  private func forget(_ id: TrackID) {
    state.withLock { $0.running.removeAll { $0.id == id } }
  }

  private func tell(_ track: Track, _ outcome: FillOutcome) {
    if context.isJSON { return context.console.print(Self.json(track, outcome)) }
    switch outcome {
    case .fetched(let bytes):
      // On a terminal the bars tell it.
      guard bars == nil, !context.console.isQuiet else { return }
      context.console.print("cached \(track.quotedName) (\(SizeText.text(bytes)))")
    case .present: break
    case .absent(let obstacle, let error):
      // What was never tried, or called off, is told by the summary alone.
      guard error != nil, !state.withLock(\.isStopped) else { return }
      note("no \(track.quotedName): \(FillTally.text(error, obstacle))")
    }
  }

  private static func json(_ track: Track, _ outcome: FillOutcome) -> JSONValue {
    let state: String
    var (bytes, reason): (Int64?, String?)
    switch outcome {
    case .fetched(let count): (state, bytes) = ("fetched", count)
    case .present(let count): (state, bytes) = ("present", count)
    case .absent(let obstacle, let error):
      (state, reason) = (obstacle.name, FillTally.text(error, obstacle))
    }
    return [
      "track": JSONValue(track: track), "state": .text(state),
      "bytes": bytes.map(JSONValue.integer) ?? .null, "reason": JSONValue(reason),
    ]
  }

  // MARK: - Bars

  /// Draws the bars as things stand.
  func redraw() {
    guard let bars else { return }
    let received = gate.received
    // Under the lock: nothing is drawn once it has been stopped.
    state.withLock { state in
      guard !state.isStopped else { return }
      state.speed.take(received, at: .now)
      bars.draw(state.running.map { Self.bar($0, state.tracks[$0.id]) } + [total(state)])
    }
  }

  /// Takes the bars away.
  func clear() { bars?.clear() }

  /// Says what is here when a signal ends it, which the program itself takes for no news; nothing is
  /// shown afterwards.
  func stop() {
    let tally = state.withLock { state in
      state.isStopped = true
      return state.tally
    }
    clear()
    context.console.complain(
      "blastoise: stopped: \(tally.fetched + tally.present) of "
        + "\(counted(tally.wanted, "track")) here; what has come of the others stays")
  }

  private static func bar(_ running: Running, _ track: Track?) -> BarStack.Bar {
    let progress = running.download.progress
    let part = progress.expected.map { Double(progress.received) / Double(max(1, $0)) }
    return BarStack.Bar(
      label: (track ?? Track(id: running.id)).printableName, part: part,
      detail: SizeText.text(progress.received))
  }

  private func total(_ state: State) -> BarStack.Bar {
    let tally = state.tally
    let here = tally.fetched + tally.present
    let shares = state.running.reduce(0.0) { sum, running in
      let progress = running.download.progress
      return sum
        + (progress.expected.map { Double(progress.received) / Double(max(1, $0)) } ?? 0)
    }
    let wanted = max(1, tally.wanted)
    let isHeld = !state.running.isEmpty && playing.isHeld
    let speed = isHeld ? "waits for the player" : state.speed.text
    return BarStack.Bar(
      label: follows
        ? "following the queue" : "\(here) of \(counted(tally.wanted, "track"))",
      part: (Double(tally.through) + shares) / Double(wanted),
      detail: [SizeText.text(gate.received), speed].filter { !$0.isEmpty }.joined(separator: "  "))
  }
}

/// A speed over the last few seconds; pure.
struct SlidingSpeed {
  private static let span = Duration.seconds(3)
  private var samples: [(at: ContinuousClock.Instant, bytes: Int64)] = []

  /// Takes how many bytes have come in all.
  mutating func take(_ bytes: Int64, at instant: ContinuousClock.Instant) {
    samples.append((instant, bytes))
    while samples.count > 2, instant - samples[1].at > Self.span { samples.removeFirst() }
  }

  /// `1.2 MB/s`; empty before there is an average.
  var text: String {
    guard let first = samples.first, let last = samples.last else { return "" }
    let seconds = (last.at - first.at).inSeconds
    guard seconds > 0.2 else { return "" }
    return SizeText.text(bytes: Double(last.bytes - first.bytes) / seconds) + "/s"
  }
}
