/// The outputs there are, as `--output` names them.
package enum SinkTable {
  /// One row: how it is written, what it is, and how it is made from what follows the colon.
  package struct Row: Sendable {
    package var usage: String
    package var summary: String
    fileprivate var prefix: String
    fileprivate var takesArgument: Bool
    fileprivate var make: @Sendable (String) -> any AudioSink
  }

  package static let rows: [Row] = [
    Row(
      usage: "alsa[:DEVICE]", summary: "an ALSA device (default: `default`)", prefix: "alsa",
      takesArgument: true, make: { ALSASink(device: $0.isEmpty ? "default" : $0) }),
    Row(
      usage: "null", summary: "nobody hears it, in real time", prefix: "null",
      takesArgument: false, make: { _ in NullSink() }),
    Row(
      usage: "wav:PATH", summary: "a WAV file of what a card would have played", prefix: "wav",
      takesArgument: true, make: { WAVFileSink(path: $0) }),
    Row(
      usage: "stdout", summary: "raw s16le stereo on standard output", prefix: "stdout",
      takesArgument: false, make: { _ in PipeSink(path: nil) }),
    Row(
      usage: "pipe:PATH", summary: "raw s16le stereo into a named pipe", prefix: "pipe",
      takesArgument: true, make: { PipeSink(path: $0) }),
  ]

  /// Finds what makes the sink a user named.
  ///
  /// - Parameter name: such as `alsa:hw:0` or `wav:out.wav`.
  /// - Returns: the maker, called on the thread that is to own the sink; nil for no such output.
  package static func maker(for name: String) -> (@Sendable () -> any AudioSink)? {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let argument = parts.count > 1 ? String(parts[1]) : ""
    guard let row = rows.first(where: { $0.prefix == parts.first.map(String.init) }) else {
      return nil
    }
    let needsArgument = row.takesArgument && row.prefix != "alsa"
    if needsArgument && argument.isEmpty { return nil }
    if !row.takesArgument && parts.count > 1 { return nil }
    return { row.make(argument) }
  }
}
