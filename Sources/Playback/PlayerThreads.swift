import Dispatch
import PCM
import Platform
import Synchronization

/// The shell around the decode loop: steps until told to stop, sleeps when there is nothing to do.
struct DecodeThread {
  let shared: PlayerShared
  let settings: PlayerSettings
  let now: @Sendable () -> ContinuousClock.Instant
  let emit: @Sendable (PlayerEvent) -> Void

  func run() {
    var loop = DecodeLoop(shared: shared, settings: settings, now: now, emit: emit)
    while !shared.isStopping.load(ordering: .acquiring) {
      if case .untilWoken(let deadline) = loop.step() {
        shared.commands.wait(timeout: deadline.map { $0 - now() })
      }
    }
  }
}

/// The shell around the output loop: has the device open while it is wanted, tries again when it
/// is lost, and ends under a fade.
struct OutputThread {
  /// How long a stop waits at most for the fade to be heard.
  static let longestGoodbye = Duration.milliseconds(200)

  let shared: PlayerShared
  let settings: PlayerSettings
  let now: @Sendable () -> ContinuousClock.Instant
  let emit: @Sendable (PlayerEvent) -> Void

  func run(sink: any AudioSink) {
    var failures = 0
    var lastError: SinkError?
    while !isStopping {
      guard shared.wantsDevice.load(ordering: .acquiring) else {
        shared.outputWake.wait()
        continue
      }
      do {
        let format = try sink.open(rate: settings.rate, buffer: settings.buffer)
        shared.deviceRuns.wrappingAdd(1, ordering: .releasing)
        emit(.deviceOpened(sink.name, format))
        defer { close(sink) }
        try play(
          sink, format,
          didPlay: {
            failures = 0
            lastError = nil
          })
      } catch {
        // A device that stays away is told once, however often it is tried.
        if error != lastError { emit(.deviceFailed(error)) }
        lastError = error
        let pause = settings.retries[min(failures, settings.retries.count - 1)]
        failures += 1
        _ = shared.outputWake.wait(
          timeout: .now() + DispatchTimeInterval.nanoseconds(Int(pause.wholeNanoseconds)))
      }
    }
  }

  private var isStopping: Bool { shared.isStopping.load(ordering: .acquiring) }

  private func play(
    _ sink: any AudioSink, _ format: SinkFormat, didPlay: () -> Void
  ) throws(SinkError) {
    var loop = OutputLoop(shared: shared, sink: sink, format: format, now: now)
    while !isStopping && shared.wantsDevice.load(ordering: .acquiring) {
      try loop.step()
      didPlay()
    }
    guard isStopping, !loop.isSilent else { return }
    try loop.fadeOut()
    guard sink.isHeard, let left = sink.reading()?.delay, left > 0 else { return }
    sleepThread(until: now() + min(.frames(left, rate: format.rate), Self.longestGoodbye))
  }

  private func close(_ sink: any AudioSink) {
    sink.close()
    shared.clock.publish((0, 0, 0, 0))
    shared.position.publish((0, 0, 0, 0))
  }
}
