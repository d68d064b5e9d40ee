import Codecs
import PCM

/// Our decoders against the programs that come with the same libraries, in processor time.
enum DecodingBench {
  /// One format: who encodes it, and who else decodes it.
  private struct Rival: Sendable {
    var format: String
    var encoder: String
    var encoderArguments: @Sendable (_ wav: String, _ file: String) -> [String]
    var decoder: String
    var decoderArguments: @Sendable (_ file: String) -> [String]
  }

  private static let rivals = [
    Rival(
      format: "mp3", encoder: "lame",
      encoderArguments: { ["--quiet", "-b", "192", $0, $1] },
      decoder: "mpg123", decoderArguments: { ["-q", "-t", $0] }),
    Rival(
      format: "flac", encoder: "flac",
      encoderArguments: { ["-s", "-f", "-o", $1, $0] },
      decoder: "flac", decoderArguments: { ["-s", "-d", "-f", "-o", "/dev/null", $0] }),
    Rival(
      format: "ogg", encoder: "oggenc",
      encoderArguments: { ["-Q", "-q", "5", "-o", $1, $0] },
      decoder: "oggdec", decoderArguments: { ["-Q", "-o", "/dev/null", $0] }),
  ]

  private static let seconds = 120

  static func run() {
    Folder.temporary { folder in
      let wav = "\(folder)/corpus.wav"
      let sound = [
        "-n", "-r", "44100", "-c", "2", "-b", "16", wav, "synth", "\(seconds)", "pinknoise",
        "synth", "\(seconds)", "sine", "mix", "300-3000", "vol", "0.5",
      ]
      guard Programs.run("sox", sound) != nil else {
        return Figure.skip("decoding", because: "sox is missing or fails")
      }
      for rival in rivals { compare(rival, wav, "\(folder)/corpus.\(rival.format)") }
    }
  }

  private static func compare(_ rival: Rival, _ wav: String, _ file: String) {
    let name = "decoding \(rival.format) against \(rival.decoder)"
    guard Programs.run(rival.encoder, rival.encoderArguments(wav, file)) != nil else {
      return Figure.skip(name, because: "\(rival.encoder) is missing or fails")
    }
    var ours = Double.infinity
    var theirs = Double.infinity
    // In turns, so that whatever else the machine does meets both.
    for _ in 0..<3 {
      guard let time = Programs.run(rival.decoder, rival.decoderArguments(file)) else {
        return Figure.skip(name, because: "\(rival.decoder) is missing or fails")
      }
      theirs = min(theirs, time)
      var frames = 0
      ours = min(ours, Stopwatch.processor(runs: 1) { frames = decode(file) })
      guard frames > (seconds - 1) * 44_100 else {
        return Figure.skip(name, because: "only \(frames) frames were decoded")
      }
    }
    Figure(name: name, value: theirs / ours, unit: "times", due: .atLeast(0.9)).report()
    Figure(
      name: "decoding \(rival.format)", value: Double(seconds) / ours, unit: "times real time",
      digits: 0
    ).report()
  }

  /// Decodes a file to its end and gives the number of frames.
  private static func decode(_ file: String) -> Int {
    guard let source = try? FileByteSource(path: file),
      let decoder = try? DecoderRegistry.open(source: source)
    else { return 0 }
    var block = [Float](repeating: 0, count: 2 * 4096)
    var frames = 0
    while true {
      var span = block.mutableSpan
      guard let count = try? decoder.read(into: &span), count > 0 else { return frames }
      frames += count
    }
  }
}
