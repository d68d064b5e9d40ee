import CAllocationCounter
import Codecs
import PCM
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Playback

/// Tracks in time with nobody, one behind the other without a gap (docs/playback.md, 13 to 16).
@Suite struct JointTests {
  /// What a fixture sounds like at 44.1 kHz, decoded alone from one of those frames on: so many samples
  /// at most.
  private func decoded(_ name: String, from start: FrameCount, most: Int) throws -> [Float] {
    let decoder = try DecoderRegistry.open(
      source: try FileByteSource(path: Fixture.path("audio/\(name)")))
    let resampler = Resampler(from: decoder.sampleRate, to: 44100)
    let isPlain = decoder.sampleRate == 44100
    try decoder.seek(to: isPlain ? start : resampler.start(at: start))
    var heard: [Float] = []
    var file = [Float](repeating: 0, count: 8192)
    var block = file
    while heard.count < most {
      var span = file.mutableSpan
      let count = try decoder.read(into: &span)
      if isPlain { heard += file[..<(count * stereo)] }
      if count == 0 { break }
      var used = 0
      while used < count, !isPlain {
        let rest = Array(file[(used * stereo)..<(count * stereo)])
        var span = block.mutableSpan
        let (consumed, produced) = resampler.process(rest.span, into: &span)
        heard += block[..<(produced * stereo)]
        used += consumed
      }
    }
    while heard.count < most, !isPlain {
      var span = block.mutableSpan
      let produced = resampler.finish(into: &span)
      if produced == 0 { break }
      heard += block[..<(produced * stereo)]
    }
    return Array(heard.prefix(most))
  }

  @Test(arguments: [
    ("noise-22k.mp3", "ruler-48k.flac"), ("ruler-48k.flac", "noise.ogg"),
    ("noise.ogg", "noise-cbr.mp3"), ("noise-cbr.mp3", "ruler-96k-24.flac"),
    ("ruler.flac", "noise-22k.mp3"),
  ])
  func `the next track follows on the sample, whatever format and rate`(
    first: String, second: String
  ) throws {
    let decoder = try DecoderRegistry.open(
      source: try FileByteSource(path: Fixture.path("audio/\(first)")))
    let length = Duration.frames(try #require(decoder.frameLength), rate: decoder.sampleRate)
    let start = (length - .seconds(1)).nearestFrame(rate: 44100)
    let before = try decoded(first, from: start, most: .max)
    let behind = try decoded(second, from: 0, most: 40000)
    let rig = try PlayerRig()
    try rig.loadFree(first, 1, at: .frames(start, rate: 44100))
    try rig.follow(second, 2)
    try rig.run(.seconds(2))
    // The ramp makes its first frame silent, and some after it quieter.
    let began = try #require(rig.device.samples.firstIndex { $0 != 0 }) / stereo
    let ramp = (OutputLoop.fadeFrames(rate: 44100) + 1) * stereo
    let expected = before[ramp...] + behind
    let isOnTime = (0...2).contains { early in
      let place = (began - early) * stereo + ramp
      return rig.device.samples[place..<(place + expected.count)] == expected
    }
    #expect(isOnTime)
    let joins = rig.log.words.filter { !$0.hasPrefix("opened") }
    #expect(joins == ["started 1", "ended 1", "started 2"])
  }

  @Test func `the position goes over to the next track when that is heard`() throws {
    let rig = try PlayerRig()
    try rig.loadFree("ruler.flac", 1, at: .seconds(49))
    try rig.follow("ruler.flac", 2)
    var seen: [PlacementID] = []
    for _ in 0..<60 {
      try rig.step()
      guard let heard = rig.heard else { continue }
      if seen.last != heard.placement { seen.append(heard.placement) }
      let isFirst = heard.placement == 1
      #expect(isFirst == (heard.frame >= 49 * 44100), "\(heard)")
    }
    #expect(seen == [1, 2])
  }

  @Test func `what was to follow can be another, or nothing`() throws {
    let rig = try PlayerRig()
    try rig.loadFree("ruler.flac", 1, at: .seconds(43))
    let first = try rig.follow("noise.ogg", 2)
    try rig.run(.seconds(1))
    try rig.follow("noise-cbr.mp3", 3)
    try rig.run(.seconds(1))
    var byte: UInt8 = 0
    #expect(throws: ByteSourceError.cancelled) {
      try withUnsafeMutableBytes(of: &byte) { bytes throws(ByteSourceError) in
        _ = try first.read(at: 0, into: bytes)
      }
    }
    rig.shared.commands.post(.follow(nil))
    try rig.run(.seconds(7))
    #expect(rig.log.words == ["opened 1 flac 44100", "started 1", "ended 1"])
    // It comes late then, and is heard all the same.
    try rig.follow("noise.ogg", 4)
    try rig.run(.seconds(1))
    #expect(rig.log.words.suffix(2) == ["opened 4 vorbis 44100", "started 4"])
  }

  @Test func `one that can't be opened is told and leaves what plays alone`() throws {
    let rig = try PlayerRig()
    try rig.loadFree("ruler.flac", 1, at: .seconds(49))
    try rig.follow("README.md", 2)
    try rig.run(.seconds(3))
    let words = rig.log.words
    #expect(words.contains { $0.hasPrefix("failed 2") })
    #expect(words.filter { $0.hasPrefix("ended") } == ["ended 2", "ended 1"])
    let last = try #require(rig.device.samples.lastIndex { $0 != 0 })
    let heard = rig.heard((last / 2 - 40000)..<(last / 2 + 1))
    #expect(heard == (Ruler.frames - 40001..<Ruler.frames).map { $0 })
  }

  @Test func `a load forgets what was to follow`() throws {
    let rig = try PlayerRig()
    try rig.loadFree("ruler.flac", 1, at: .seconds(49))
    try rig.follow("noise.ogg", 2)
    try rig.run(.milliseconds(300))
    try rig.loadFree("ruler.flac", 3, at: .seconds(49))
    try rig.run(.seconds(3))
    #expect(!rig.log.words.contains("started 2"))
    #expect(rig.log.words.last == "ended 3")
  }

  @Test func `nothing is lost to an underrun or to bytes that come late`() throws {
    let rig = try PlayerRig()
    try rig.loadFree("ruler.flac", 1, at: .seconds(5))
    try rig.run(.seconds(1))
    // The decode thread does not run while the ring empties itself.
    for _ in 0..<80 { try rig.output.step() }
    rig.time.advance(by: .seconds(1))
    try rig.run(.seconds(2))
    #expect(rig.underruns == 1)
    let frames = rig.heard(0..<rig.recorded).compactMap(\.self).filter { $0 > 5 * 44100 + 441 }
    let expected = Array((frames.first ?? 0)...(frames.last ?? 0))
    // Where sound begins again it is ramped: those frames don't read as what they are.
    let ramped = expected.count - Set(frames).intersection(expected).count
    #expect(ramped <= OutputLoop.fadeFrames(rate: 44100))
    #expect(frames.count > 44100 * 2)
    #expect(rig.log.words.contains("starved 1"))
    #expect(rig.log.words.contains("underrun"))
    #expect(!rig.log.words.contains("skipped 1"))
  }

  @Test func `a device that was lost goes on at the frame it had taken last`() throws {
    let rig = try PlayerRig()
    let time = rig.time
    try rig.loadFree("ruler.flac", 1, at: .seconds(5))
    try rig.run(.seconds(1))
    let last = try #require(rig.heard(rig.recorded - 1..<rig.recorded)[0])
    // What the output thread does when the device is gone, and there again.
    rig.shared.clock.publish((0, 0, 0, 0))
    rig.shared.position.publish((0, 0, 0, 0))
    let format = try rig.device.open(rate: 44100, buffer: .milliseconds(200))
    rig.shared.deviceRuns.wrappingAdd(1, ordering: .relaxed)
    rig.output = OutputLoop(
      shared: rig.shared, sink: rig.device, format: format, now: { time.now })
    let lost = rig.recorded
    try rig.run(.seconds(2))
    let first = try #require((lost..<rig.recorded).first { rig.device.samples[$0 * 2 + 1] != 0 })
    let heard = try #require(rig.heard(first + 1000..<first + 1001)[0])
    #expect((0...2).contains(heard - last - 1000))
  }

  @Test(.enabled(if: callocationcounter_is_active()))
  func `the output thread allocates nothing at a joint`() throws {
    let rig = try PlayerRig()
    let time = rig.time
    let sink = NullSink(now: { time.now }, sleep: { time.advance(by: $0 - time.now) })
    let format = try sink.open(rate: 44100, buffer: .milliseconds(200))
    rig.output = OutputLoop(shared: rig.shared, sink: sink, format: format, now: { time.now })
    try rig.loadFree("noise.ogg", 1, at: .seconds(9))
    try rig.follow("ruler-48k.flac", 2)
    try rig.run(.milliseconds(500))
    var allocated: UInt64 = 0
    for _ in 0..<40 {
      while rig.decode.step() == .none {}
      let before = callocationcounter_this_thread()
      try rig.output.step()
      allocated += UInt64(callocationcounter_this_thread() - before)
    }
    #expect(rig.log.words.suffix(2) == ["ended 1", "started 2"])
    #expect(allocated == 0)
  }

  @Test func `the loaded bytes given again are a pause and a seek`() throws {
    let rig = try PlayerRig()
    let source = try FileByteSource(path: Fixture.path("audio/ruler.flac"))
    func load(_ id: PlacementID, _ seconds: Int, playing: Bool) {
      rig.shared.commands.post(
        .load(
          id, source: source, gain: 1,
          target: .free(from: .seconds(seconds), isPlaying: playing)))
    }
    load(1, 5, playing: true)
    try rig.run(.seconds(1))
    load(2, 6, playing: false)
    try rig.run(.seconds(1))
    let silence = rig.recorded - 4410
    #expect(rig.heard(silence..<rig.recorded).allSatisfy { $0 == nil })
    load(3, 30, playing: true)
    try rig.run(.seconds(1))
    #expect(rig.log.words == ["opened 1 flac 44100", "started 1", "started 3"])
    let last = try #require(rig.heard(rig.recorded - 1..<rig.recorded)[0])
    #expect(last > 30 * 44100 && last < 31 * 44100)
  }
}

extension PlayerRig {
  /// What is heard, and of which placement.
  var heard: (placement: PlacementID, frame: FrameCount)? {
    let (generation, frame, _, placement) = shared.position.read()
    guard generation > 0 else { return nil }
    return (PlacementID(placement / 2), frame)
  }

  func loadFree(_ name: String, _ id: PlacementID, at position: Duration) throws {
    let source = try FileByteSource(path: Fixture.path("audio/\(name)"))
    shared.commands.post(
      .load(id, source: source, gain: 1, target: .free(from: position, isPlaying: true)))
  }

  @discardableResult
  func follow(_ name: String, _ id: PlacementID) throws -> any ByteSource {
    let source = try FileByteSource(path: Fixture.path("audio/\(name)"))
    shared.commands.post(.follow(FollowingTrack(id, source: source)))
    return source
  }
}
