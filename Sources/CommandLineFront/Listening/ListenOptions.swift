import Listening
import PCM
import Playback
import RoomSync

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
    let output = invocation[.output] ?? "alsa"
    guard let maker = SinkTable.maker(for: output) else {
      throw .usage(
        "there is no output \"\(Printable.escaped(output))\"",
        hint: "outputs are " + SinkTable.rows.map(\.usage).joined(separator: ", "))
    }
    var configuration = ListeningConfiguration(cacheFolder: cacheFolder, makeSink: maker)
    configuration.player.rate = try invocation.integer(.rate, in: 8000...192_000) ?? 44100
    let buffer = try invocation.integer(.buffer, in: 20...5000) ?? 200
    configuration.player.buffer = .milliseconds(buffer)
    configuration.policy = invocation[.sync] == "reference" ? .reference : .tight
    let latency = try invocation.integer(.latency, in: -10000...10000) ?? 0
    configuration.policy.outputLatency = .milliseconds(latency)
    configuration.volume = try invocation.integer(.volume, in: 0...100) ?? 100
    configuration.appliesReplayGain = invocation[.replayGain] == "track"
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
