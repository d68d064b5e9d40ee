import CALSA
import Glibc
import Platform

/// The ALSA devices a system has, by its own list.
package enum ALSADevices {
  /// One PCM that plays.
  package struct Device: Sendable {
    /// What `alsa:NAME` takes.
    package var name: String
    /// What the system says of it, on one line.
    package var summary: String
    /// What came of opening it and playing a short tone, where that was wanted.
    package var test: Result<SinkFormat, SinkError>?
  }

  /// Lists them; off the caller's thread, since opening a device may take a while.
  ///
  /// - Parameter isTested: whether each is opened and plays a short tone.
  /// - Returns: the PCMs that play, in the system's order.
  package static func list(isTested: Bool) async -> [Device] {
    await withCheckedContinuation { done in
      _ = NamedThread(name: "devices") {
        done.resume(returning: list().map { isTested ? tested($0) : $0 })
      }
    }
  }

  private static func list() -> [Device] {
    calsa_silence()
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &hints) == 0, let hints else { return [] }
    defer { snd_device_name_free_hint(hints) }
    var devices: [Device] = []
    var place = hints
    while let hint = place.pointee {
      place += 1
      // No direction means both.
      guard let name = text(hint, "NAME"), text(hint, "IOID") ?? "Output" == "Output" else {
        continue
      }
      let summary = (text(hint, "DESC") ?? "").split(separator: "\n").joined(separator: ", ")
      devices.append(Device(name: name, summary: summary, test: nil))
    }
    return devices
  }

  private static func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
    guard let value = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(value) }
    return String(cString: value)
  }

  private static func tested(_ device: Device) -> Device {
    var device = device
    let sink = ALSASink(device: device.name)
    do {
      let format = try sink.open(rate: 44100, buffer: .milliseconds(200))
      try playTone(on: sink, format)
      device.test = .success(format)
    } catch {
      device.test = .failure(error)
    }
    sink.close()
    return device
  }

  /// Half a second of 440 Hz, soft at both ends.
  private static func playTone(on sink: ALSASink, _ format: SinkFormat) throws(SinkError) {
    let frames = format.rate / 2
    var tone = [Float](repeating: 0, count: frames * 2)
    for frame in 0..<frames {
      let edge = Double(min(frame, frames - frame)) / Double(frames / 10)
      let phase = 2 * Double.pi * 440 * Double(frame) / Double(format.rate)
      let sample = Float(0.2 * min(edge, 1) * sin(phase))
      tone[frame * 2] = sample
      tone[frame * 2 + 1] = sample
    }
    for start in stride(from: 0, to: frames, by: format.period) {
      let count = min(format.period, frames - start)
      let part = Array(tone[(start * 2)..<((start + count) * 2)])
      _ = try sink.write(part, frames: count)
    }
    sleepThread(until: .now + format.duration)
  }
}

extension SinkFormat {
  /// How much sound the device holds.
  fileprivate var duration: Duration { .frames(Int64(buffer), rate: rate) }
}
