import Listening
import PCM
import Playback
import RoomSync

extension OptionSpec {
  /// What every command takes that listens in the foreground.
  static let listening: [OptionSpec] = [
    .output, .duration, .events, .sync, .buffer, .latency, .rate, .volume, .noWait, .replayGain,
    .cacheSize, .cacheReserve,
  ]
}

/// The options of `listen` and `demo` as the listener takes them.
struct ListenOptions {
  /// What to listen to and how.
  var configuration: ListeningConfiguration
  /// When to end by itself.
  var limit: Duration?
  /// Whether standard output carries sound, so that lines must go elsewhere.
  var usesStandardOutput: Bool

  /// Reads them.
  ///
  /// - Parameters:
  ///   - invocation: the command line.
  ///   - cacheFolder: where tracks are kept.
  /// - Throws: `Diagnostic` for a value that makes no sense.
  init(_ invocation: Invocation, cacheFolder: String) throws(Diagnostic) {
    let output = invocation.text(.output)
    guard let maker = SinkTable.maker(for: output) else {
      throw .usage(
        "there is no output \"\(Printable.escaped(output))\"",
        hint: "outputs are " + SinkTable.rows.map(\.usage).joined(separator: ", "))
    }
    var configuration = ListeningConfiguration(cacheFolder: cacheFolder, makeSink: maker)
    configuration.player.rate = try invocation.number(.rate)
    configuration.player.buffer = .milliseconds(try invocation.number(.buffer))
    configuration.policy = invocation.text(.sync) == "reference" ? .reference : .tight
    configuration.policy.outputLatency = .milliseconds(try invocation.number(.latency))
    configuration.volume = try invocation.number(.volume)
    configuration.appliesReplayGain = invocation.text(.replayGain) == "track"
    configuration.waitsForServer = !invocation.has(.noWait)
    // Whoever read standard output does not come back.
    configuration.waitsForDevice = !invocation.has(.noWait) && output != "stdout"
    // A file would begin anew, and a reader take a long pause for the end.
    let isKept = output == "stdout" || output.hasPrefix("wav:") || output.hasPrefix("pipe:")
    if isKept { configuration.player.releaseAfter = nil }
    configuration.room = invocation.operands.first ?? invocation[.channel]
    self.configuration = configuration
    limit = try invocation.duration(.duration)
    usesStandardOutput = output == "stdout"
    if usesStandardOutput && invocation.has(.json) && !invocation.has(.events) {
      throw .usage(
        "standard output carries the sound, so --json has nowhere to go",
        hint: "write the events to a file: --events FILE")
    }
  }
}
