import Glibc
import PCM
import Platform

/// How much the ring between the audio threads carries.
enum RingBench {
  static func run() {
    let frames = 100_000_000
    let time = Stopwatch.wall(runs: 3) { pass(frames) }
    Figure(
      name: "ring, between two threads", value: Double(frames) / time / 1e6, unit: "M frames/s",
      digits: 1
    ).report()
  }

  /// Passes frames from one thread to this one in blocks of the sizes they have in the player.
  private static func pass(_ frames: Int) {
    let ring = RingBuffer(minimumCapacity: 4 * 44_100, keptBehind: 2 * 44_100)
    let producer = NamedThread(name: "bench-producer") {
      let block = [Float](repeating: 0.25, count: 2 * 2048)
      var sent = 0
      while sent < frames {
        let taken = ring.write(block.span.extracting(0..<(2 * min(2048, frames - sent))))
        sent += taken
        if taken == 0 { sched_yield() }
      }
    }
    var block = [Float](repeating: 0, count: 2 * 1024)
    var got = 0
    while got < frames {
      var span = block.mutableSpan
      let taken = ring.read(into: &span)
      got += taken
      if taken == 0 { sched_yield() }
    }
    producer.join()
  }
}
