package import PCM

/// Where frames go to be heard: a sound card, or something that stands for one.
///
/// A sink takes interleaved Float32 stereo at the rate `open` settles on, and consumes it in real
/// time. Output frames are counted from `open`, starting at 0.
///
/// Threading: all calls come from the output thread. `write` blocks while the sink's buffer is
/// full, a period or so; `open` and `close` may take longer. `write` and `reading` neither allocate
/// nor lock (locks of the system's audio library excepted).
package protocol AudioSink: AnyObject {
  /// What people call it: `alsa:default`, `null`, `wav:out.wav`.
  var name: String { get }

  /// Whether frames are heard when the device comes to them, so that an end is waited for; what a
  /// file or a program takes is there at once.
  var isHeard: Bool { get }

  /// Makes the sink ready to be written to, silent.
  ///
  /// - Parameters:
  ///   - rate: the wished rate in Hz.
  ///   - buffer: how much sound the sink may hold.
  /// - Returns: what was settled on.
  /// - Throws: `SinkError` when the device can't be had.
  func open(rate: Int, buffer: Duration) throws(SinkError) -> SinkFormat

  /// Hands over frames, waiting for room.
  ///
  /// - Parameters:
  ///   - samples: interleaved stereo, `frames` x 2 of them.
  ///   - frames: how many.
  /// - Returns: whether the sink ran dry before these frames came: the frames are taken all the
  ///   same, but what was counted before says nothing about when they are heard.
  /// - Throws: `SinkError` when the device is lost; it is then to be closed.
  func write(_ samples: UnsafePointer<Float>, frames: Int) throws(SinkError) -> WriteOutcome

  /// How far the sound is, or nil while the sink can't tell (it has not started yet).
  func reading() -> SinkReading?

  /// Gives the device back. What is still in its buffer may be lost.
  func close()
}

/// What `AudioSink.open` settled on.
package struct SinkFormat: Equatable, Sendable {
  /// Frames a second, in Hz.
  package var rate: Int
  /// Frames the sink takes at a time.
  package var period: Int
  /// Frames the sink can hold.
  package var buffer: Int
  /// The sample format of the device, as people know it: `f32`, `s32`, `s24`, `s16`.
  package var sampleFormat: String
}

/// What became of written frames.
package enum WriteOutcome: Sendable {
  /// They follow on what was written before.
  case continued
  /// The sink had run dry: an underrun.
  case underrun
}

/// One look at how far the sound is.
package struct SinkReading: Sendable {
  /// Frames written that are still to be heard: what is written next is heard after as many.
  package var delay: FrameCount
  /// When that was so.
  package var at: ContinuousClock.Instant
}

/// Why a sink can't be used: the device, what was tried, and the system's or the library's code.
package struct SinkError: Error, Equatable, Sendable {
  /// What was tried.
  package enum Operation: String, Sendable {
    case open, configure, write, create
  }

  /// What people call the sink.
  package var device: String
  package var operation: Operation
  /// A positive `errno` value.
  package var code: Int32

  package init(device: String, operation: Operation, code: Int32) {
    self.device = device
    self.operation = operation
    self.code = code
  }
}
