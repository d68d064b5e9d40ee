import CAllocationCounter
import Codecs
import Glibc
import Playback

/// What the running output thread allocates: nothing is due.
enum OutputBench {
  private static let seconds = 10

  static func run() {
    let name = "allocations on audio-out in \(seconds) s"
    guard callocationcounter_is_active() else {
      return Figure.skip(name, because: "a sanitizer has malloc for itself")
    }
    Folder.temporary { folder in
      let track = "\(folder)/track.flac"
      let sound = ["-n", "-r", "48000", "-c", "2", track, "synth", "60", "pinknoise"]
      guard Programs.run("sox", sound) != nil, let source = try? FileByteSource(path: track) else {
        return Figure.skip(name, because: "sox is missing or fails")
      }
      play(source, name)
    }
  }

  private static func play(_ source: any ByteSource, _ name: String) {
    let player = Player(settings: PlayerSettings()) { NullSink() }
    defer { player.shutdown() }
    player.load(
      1, source: source,
      target: PlaybackTarget(position: .zero, at: .now + .milliseconds(300), isPlaying: true))
    sleep(3)
    guard let position = player.position, position.isMoving,
      let watch = AllocationWatch(threadNamed: "audio-out")
    else { return Figure.skip(name, because: "nothing is heard") }
    let before = watch.count
    // Changes of volume on the way: a ramp must not cost anything either.
    for second in 0..<seconds {
      player.setVolume(second % 2 == 0 ? 0.5 : 1)
      sleep(1)
    }
    let count = watch.count - before
    guard let last = player.position, last.position - position.position > .seconds(seconds - 1)
    else { return Figure.skip(name, because: "it stopped playing") }
    Figure(name: name, value: Double(count), unit: "", digits: 0, due: .atMost(0)).report()
    Figure(
      name: "allocations on audio-out before, at start", value: Double(before), unit: "",
      digits: 0
    ).report()
  }
}
