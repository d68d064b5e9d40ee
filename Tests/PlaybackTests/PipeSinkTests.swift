import Glibc
import PCM
import Platform
import TestSupport
import Testing

@testable import Playback

/// Sound for another program, whatever that program does.
@Suite(.timeLimit(.minutes(1))) struct PipeSinkTests {
  /// A frame whose four bytes tell where it begins.
  static let pattern: [UInt8] = [0x01, 0x02, 0xFE, 0xFD]

  private static func block(frames: Int) -> [Float] {
    let left = Float(0x0201) / 32768
    let right = Float(Int16(bitPattern: 0xFDFE)) / 32768
    return (0..<(frames * stereo)).map { $0 % 2 == 0 ? left : right }
  }

  /// Writes blocks of patterned frames to a sink.
  ///
  /// - Returns: how many blocks the sink said it ran dry before.
  private func write(_ blocks: Int, of format: SinkFormat, to sink: PipeSink) throws -> Int {
    let block = Self.block(frames: format.period)
    var underruns = 0
    for _ in 0..<blocks {
      if case .underrun = try sink.write(block, frames: format.period) { underruns += 1 }
    }
    return underruns
  }

  private func reader(of path: String) throws -> Int32 {
    _ = mkfifo(path, 0o600)
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(descriptor >= 0)
    return descriptor
  }

  /// All that is there to be read.
  private func drain(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &block, block.count)
      guard count > 0 else { return bytes }
      bytes += block[..<count]
    }
  }

  @Test func `a reader that does not read holds up nothing`() throws {
    let folder = try TemporaryFolder()
    let descriptor = try reader(of: folder.file("pipe"))
    defer { close(descriptor) }
    let sink = PipeSink(path: folder.file("pipe"))
    let format = try sink.open(rate: 44100, buffer: .milliseconds(200))
    let begin = ContinuousClock.now
    // Two seconds of sound; the pipe holds 0.37 s.
    let underruns = try write(40, of: format, to: sink)
    #expect(ContinuousClock.now - begin < .milliseconds(2200))
    #expect(underruns == 0)
    // Whole frames only, and after its return the reader gets what is played then.
    let first = drain(descriptor)
    _ = try write(1, of: format, to: sink)
    let bytes = first + drain(descriptor)
    #expect(bytes.count == first.count + format.period * 4)
    #expect(bytes.enumerated().allSatisfy { $1 == Self.pattern[$0 % 4] })
  }

  @Test func `a reader that went away is an error, and the next one is served`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("pipe")
    let sink = PipeSink(path: path)
    #expect(throws: SinkError(device: "pipe:\(path)", operation: .open, code: ENXIO)) {
      _ = try sink.open(rate: 44100, buffer: .milliseconds(40))
    }
    let first = try reader(of: path)
    let format = try sink.open(rate: 44100, buffer: .milliseconds(40))
    close(first)
    // The player's threads block all signals.
    var pipeSignal = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
    #expect(throws: SinkError(device: "pipe:\(path)", operation: .write, code: EPIPE)) {
      _ = try write(1, of: format, to: sink)
    }
    sink.close()
    let second = try reader(of: path)
    defer { close(second) }
    _ = try sink.open(rate: 44100, buffer: .milliseconds(40))
    _ = try write(2, of: format, to: sink)
    #expect(drain(second).count == format.period * 8)
  }

  @Test func `a large buffer still goes through a pipe piece by piece`() throws {
    let folder = try TemporaryFolder()
    let descriptor = try reader(of: folder.file("pipe"))
    defer { close(descriptor) }
    let sink = PipeSink(path: folder.file("pipe"))
    let format = try sink.open(rate: 44100, buffer: .seconds(5))
    #expect(format.period * 4 <= 65536 / 4)
    #expect(format.buffer == 5 * 44100)
  }

  /// What is taken in odd pieces is dropped in whole frames all the same.
  @Test func `a terminal gets whole frames`() throws {
    let (writing, reading) = try terminal()
    defer {
      close(writing)
      close(reading)
    }
    var file = SampleFile()
    let isOpen = file.use(writing)
    try #require(isOpen)
    file.reserve(frames: 1000)
    var bytes: [UInt8] = []
    var odd = [UInt8](repeating: 0, count: 301)
    for round in 0..<400 {
      let isTaken = file.write(Self.block(frames: 1000), frames: 1000)
      try #require(isTaken)
      let count = read(reading, &odd, 1 + round * 7 % odd.count)
      if count > 0 { bytes += odd[..<count] }
    }
    bytes += drain(reading)
    #expect(bytes.count > 16384)
    #expect(bytes.enumerated().allSatisfy { $1 == Self.pattern[$0 % 4] })
  }

  /// Two ends of a terminal that passes bytes on as they are, neither of which blocks.
  private func terminal() throws -> (writing: Int32, reading: Int32) {
    let reading = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
    var (isLocked, number) = (Int32(0), Int32(0))
    // TIOCSPTLCK and TIOCGPTN, macros that Swift does not see.
    let (lock, name) = (UInt(0x4004_5431), UInt(0x8004_5430))
    let isThere =
      reading >= 0 && ioctl(reading, lock, &isLocked) == 0
      && ioctl(reading, name, &number) == 0
    try #require(isThere)
    let writing = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_NONBLOCK)
    try #require(writing >= 0)
    var settings = termios()
    tcgetattr(writing, &settings)
    cfmakeraw(&settings)
    tcsetattr(writing, TCSANOW, &settings)
    return (writing, reading)
  }
}
