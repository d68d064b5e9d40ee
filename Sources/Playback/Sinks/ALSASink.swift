import CALSA
import Glibc
import PCM

/// A sink on an ALSA device: a card, or any PCM of the user's configuration (pulse, dmix, plug).
///
/// The device is opened without blocking (a busy one is refused at once) and written to with
/// blocking calls of one period. Formats are tried from the best: float, 32, 24, 16 bit.
package final class ALSASink: AudioSink {
  package let isHeard = true
  package let name: String
  private let device: String
  // SAFETY: the handle never leaves this object, which the output thread alone uses.
  private var pcm: OpaquePointer?
  private var format = SinkFormat(rate: 0, period: 0, buffer: 0, sampleFormat: "")
  private var encoded = EncodedBlock(.float32, frames: 0)
  private var pace = UnpacedGuard()

  /// Makes a sink on an ALSA PCM; nothing is opened yet.
  ///
  /// - Parameter device: such as `default` or `hw:0`.
  package init(device: String) {
    self.device = device
    name = "alsa:\(device)"
  }

  deinit { close() }

  package func open(rate: Int, buffer: Duration) throws(SinkError) -> SinkFormat {
    close()
    calsa_silence()
    var handle: OpaquePointer?
    try check(snd_pcm_open(&handle, device, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK), .open)
    guard let handle else { throw error(.open, -ENODEV) }
    pcm = handle
    do {
      try configureHardware(handle, rate: rate, buffer: buffer)
      try configureSoftware(handle)
      try check(snd_pcm_nonblock(handle, 0), .configure)
      try check(snd_pcm_prepare(handle), .configure)
    } catch {
      close()
      throw error
    }
    pace = UnpacedGuard()
    return format
  }

  private func configureHardware(
    _ handle: OpaquePointer, rate: Int, buffer: Duration
  ) throws(SinkError) {
    var parameters: OpaquePointer?
    snd_pcm_hw_params_malloc(&parameters)
    defer { snd_pcm_hw_params_free(parameters) }
    try check(snd_pcm_hw_params_any(handle, parameters), .configure)
    try check(
      snd_pcm_hw_params_set_access(handle, parameters, SND_PCM_ACCESS_RW_INTERLEAVED), .configure)
    guard
      let found = Self.formats.first(where: {
        snd_pcm_hw_params_set_format(handle, parameters, $0.alsa) == 0
      })
    else { throw error(.configure, -EINVAL) }
    try check(snd_pcm_hw_params_set_channels(handle, parameters, UInt32(stereo)), .configure)
    var settledRate = UInt32(rate)
    try check(
      snd_pcm_hw_params_set_rate_near(handle, parameters, &settledRate, nil), .configure)
    var bufferFrames = snd_pcm_uframes_t(max(64, buffer.frames(rate: Int(settledRate))))
    var periodFrames = bufferFrames / 4
    try check(
      snd_pcm_hw_params_set_period_size_near(handle, parameters, &periodFrames, nil), .configure)
    try check(
      snd_pcm_hw_params_set_buffer_size_near(handle, parameters, &bufferFrames), .configure)
    try check(snd_pcm_hw_params(handle, parameters), .configure)
    format = SinkFormat(
      rate: Int(settledRate), period: Int(periodFrames), buffer: Int(bufferFrames),
      sampleFormat: found.name)
    encoded = EncodedBlock(found.encoding, frames: format.buffer)
  }

  private func configureSoftware(_ handle: OpaquePointer) throws(SinkError) {
    var parameters: OpaquePointer?
    snd_pcm_sw_params_malloc(&parameters)
    defer { snd_pcm_sw_params_free(parameters) }
    try check(snd_pcm_sw_params_current(handle, parameters), .configure)
    let threshold = snd_pcm_uframes_t(max(1, format.buffer - format.period))
    try check(
      snd_pcm_sw_params_set_start_threshold(handle, parameters, threshold), .configure)
    try check(
      snd_pcm_sw_params_set_avail_min(handle, parameters, snd_pcm_uframes_t(format.period)),
      .configure)
    try check(snd_pcm_sw_params(handle, parameters), .configure)
  }

  package func write(
    _ samples: UnsafePointer<Float>, frames: Int
  ) throws(SinkError) -> WriteOutcome {
    guard let pcm else { throw error(.write, -ENODEV) }
    let bytes = encoded.encode(samples, frames: frames)
    var outcome = WriteOutcome.continued
    var done = 0
    while done < frames {
      let from = bytes.baseAddress?.advanced(by: done * encoded.bytesPerFrame)
      let count = snd_pcm_writei(pcm, from, snd_pcm_uframes_t(frames - done))
      if count >= 0 {
        done += count
        continue
      }
      // An underrun (or a suspend) is mended by ALSA's own recipe; anything else is a lost device.
      guard count == -Int(EPIPE) || count == -Int(ESTRPIPE) || count == -Int(EINTR),
        snd_pcm_recover(pcm, Int32(count), 1) == 0
      else { throw error(.write, Int32(count)) }
      if count != -Int(EINTR) { outcome = .underrun }
    }
    pace.wrote(frames, rate: format.rate, buffer: format.buffer)
    return outcome
  }

  package func reading() -> SinkReading? {
    guard let pcm else { return nil }
    if let reading = pace.reading { return reading }
    guard snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING else { return nil }
    // Where no timestamp comes with the delay, two looks at the clock bracket it (design.md 3.3).
    let before = ContinuousClock.now
    var delay = snd_pcm_sframes_t(0)
    guard snd_pcm_delay(pcm, &delay) == 0 else { return nil }
    let after = ContinuousClock.now
    return SinkReading(delay: FrameCount(delay), at: before + (after - before) / 2)
  }

  package func close() {
    guard let pcm else { return }
    snd_pcm_drop(pcm)
    snd_pcm_close(pcm)
    self.pcm = nil
  }

  private func check(_ code: Int32, _ operation: SinkError.Operation) throws(SinkError) {
    if code < 0 { throw error(operation, code) }
  }

  private func error(_ operation: SinkError.Operation, _ code: Int32) -> SinkError {
    SinkError(device: name, operation: operation, code: abs(code))
  }

  private struct Format {
    var alsa: snd_pcm_format_t
    var encoding: SampleEncoding
    var name: String
  }

  private static let formats: [Format] = [
    Format(alsa: SND_PCM_FORMAT_FLOAT_LE, encoding: .float32, name: "f32"),
    Format(alsa: SND_PCM_FORMAT_S32_LE, encoding: .int32, name: "s32"),
    Format(alsa: SND_PCM_FORMAT_S24_LE, encoding: .int24, name: "s24"),
    Format(alsa: SND_PCM_FORMAT_S24_3LE, encoding: .int24Packed, name: "s24"),
    Format(alsa: SND_PCM_FORMAT_S16_LE, encoding: .int16, name: "s16"),
  ]
}

/// Finds out a device that takes frames faster than real time (ALSA's `null` and `file`), and keeps
/// the time in its place: a player must not race through a track because nobody listens.
struct UnpacedGuard {
  private var virtual: VirtualDevice?
  private var start: ContinuousClock.Instant?
  private var written: FrameCount = 0

  /// The reading of the clock that stands in, nil while the device paces itself.
  var reading: SinkReading? { virtual?.reading() }

  mutating func wrote(_ frames: Int, rate: Int, buffer: Int) {
    if virtual != nil {
      _ = virtual?.accept(frames)
      return
    }
    let now = ContinuousClock.now
    let begin = start ?? now
    start = begin
    written += FrameCount(frames)
    // A device holds its buffer and what its plug-ins hold; one second beyond is none that plays.
    let ahead = written - (now - begin).frames(rate: rate)
    guard ahead > FrameCount(buffer + rate) else { return }
    virtual = VirtualDevice(
      rate: rate, buffer: buffer, now: { ContinuousClock.now }, sleep: sleepThread)
    _ = virtual?.accept(0)
  }
}
