import Dispatch
import Glibc

/// The signals that end the program; a terminal that is gone ends it as SIGTERM does.
enum StopSignal: Int32, CaseIterable, Sendable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15

  /// The status of a command that a signal has cut short.
  var status: ExitStatus {
    switch self {
    case .interrupt: .interrupted
    case .hangUp, .terminate: .terminated
    }
  }
}

/// SIGHUP, SIGINT and SIGTERM as values, instead of a sudden end.
final class Signals: Sendable {
  /// The signals, as they come; for one reader.
  let stream: AsyncStream<StopSignal>

  private let continuation: AsyncStream<StopSignal>.Continuation
  // SAFETY: made in `init`, cancelled in `stop`; a dispatch source may be used from any thread.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

  /// Takes the signals over from the system; blocks for a moment, until none can be lost.
  init() {
    (stream, continuation) = AsyncStream.makeStream()
    let queue = DispatchQueue(label: "signals")
    let registered = DispatchSemaphore(value: 0)
    var sources: [any DispatchSourceSignal] = []
    for stop in StopSignal.allCases where stop != .hangUp || !Self.isIgnored(stop) {
      // Before the source is registered: libdispatch then puts its own handler in this one's place.
      signal(stop.rawValue, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: stop.rawValue, queue: queue)
      source.setEventHandler(handler: Self.handler(stop, continuation))
      source.setRegistrationHandler(handler: Self.registration(registered))
      source.resume()
      sources.append(source)
    }
    self.sources = sources
    for _ in sources { registered.wait() }
  }

  /// Ends the stream.
  func stop() {
    for source in sources { source.cancel() }
    continuation.finish()
  }

  /// Whether whoever started the program has it ignore a signal, as nohup(1) does.
  private static func isIgnored(_ stop: StopSignal) -> Bool {
    var action = sigaction()
    guard sigaction(stop.rawValue, nil, &action) == 0,
      let handler = action.__sigaction_handler.sa_handler
    else { return false }
    // SAFETY: both are pointers to functions, compared as numbers and not called.
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Made outside any actor, so that it carries none into the queue it runs on.
  private static func handler(
    _ stop: StopSignal, _ continuation: AsyncStream<StopSignal>.Continuation
  ) -> @Sendable () -> Void {
    { continuation.yield(stop) }
  }

  private static func registration(_ registered: DispatchSemaphore) -> @Sendable () -> Void {
    { registered.signal() }
  }
}

/// Sees to it that the program ends, whatever hangs.
enum Watchdog {
  /// How long a stopped command may take to end by itself.
  static let patience = Duration.milliseconds(280)

  /// Ends the process with `status` after `patience`, unless it has ended before.
  static func arm(_ status: ExitStatus) {
    let queue = DispatchQueue(label: "watchdog")
    let wait = DispatchTimeInterval.milliseconds(280)
    queue.asyncAfter(deadline: .now() + wait, execute: ending(status))
  }

  private static func ending(_ status: ExitStatus) -> @Sendable () -> Void {
    {
      TerminalEcho.restore()
      _exit(status.rawValue)
    }
  }
}
