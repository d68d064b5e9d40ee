import Glibc

/// Measures time, by the processor and by the wall.
enum Stopwatch {
  /// The seconds of processor time that the calling thread takes for some work, the least of
  /// several runs: what disturbs a run only adds to it.
  static func processor(runs: Int = 5, _ work: () -> Void) -> Double {
    var best = Double.infinity
    for _ in 0..<runs {
      let start = seconds(of: CLOCK_THREAD_CPUTIME_ID)
      work()
      best = min(best, seconds(of: CLOCK_THREAD_CPUTIME_ID) - start)
    }
    return best
  }

  /// The seconds that some work takes by the wall, the least of several runs.
  static func wall(runs: Int = 5, _ work: () -> Void) -> Double {
    var best = Double.infinity
    for _ in 0..<runs {
      let start = now
      work()
      best = min(best, now - start)
    }
    return best
  }

  /// Seconds since some moment, never going back.
  static var now: Double { seconds(of: CLOCK_MONOTONIC) }

  /// Seconds of processor time that all threads of this process have taken.
  static var processorNow: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  private static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
