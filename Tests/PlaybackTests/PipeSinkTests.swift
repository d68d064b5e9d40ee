import Glibc
import PCM
import Platform
import TestSupport
import Testing

@testable import Playback

/// Sound for another program, whatever that program does.
@Suite(.timeLimit(.minutes(3))) struct PipeSinkTests {
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
  @Test func `a connection gets whole frames`() throws {
    let (writing, reading) = try connection()
    defer {
      close(writing)
      close(reading)
    }
    var file = SampleFile()
    let isOpen = file.use(writing)
    try #require(isOpen)
    file.reserve(frames: 1000)
    var bytes: [UInt8] = []
    var odd = [UInt8](repeating: 0, count: 9000)
    for round in 0..<400 {
      let isTaken = file.write(Self.block(frames: 1000), frames: 1000)
      try #require(isTaken)
      let count = read(reading, &odd, 1 + round * 71 % odd.count)
      if count > 0 { bytes += odd[..<count] }
    }
    bytes += drain(reading)
    #expect(bytes.count > 16384)
    #expect(bytes.enumerated().allSatisfy { $1 == Self.pattern[$0 % 4] })
  }

  /// Two ends of a TCP connection, neither of which blocks; its segments make the pieces odd.
  private func connection() throws -> (writing: Int32, reading: Int32) {
    let stream = Int32(SOCK_STREAM.rawValue)
    let (listener, writing) = (socket(AF_INET, stream, 0), socket(AF_INET, stream, 0))
    defer { close(listener) }
    var (room, segment) = (Int32(4096), Int32(537))
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, 4)
    setsockopt(writing, SOL_SOCKET, SO_SNDBUF, &room, 4)
    setsockopt(writing, Int32(IPPROTO_TCP), Int32(TCP_MAXSEG), &segment, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutableBytes(of: &address) { bytes in
      guard let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
        return false
      }
      return bind(listener, place, size) == 0 && listen(listener, 1) == 0
        && getsockname(listener, place, &size) == 0 && connect(writing, place, size) == 0
    }
    try #require(isConnected)
    let reading = accept(listener, nil, nil)
    for end in [writing, reading] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    return (writing, reading)
  }
}
