import Listening
import RoomClient
import RoomProtocol

/// The line that says what is heard: title, position, a progress line, the buffer and the drift.
enum NowPlayingLine {
  /// The line for a picture, at most `columns` wide.
  ///
  /// - Parameters:
  ///   - snapshot: the picture.
  ///   - columns: how many it may take.
  ///   - isPlain: whether only ASCII may be drawn.
  /// - Returns: the line.
  static func text(_ snapshot: ListeningSnapshot, columns: Int, isPlain: Bool) -> String {
    guard let state = snapshot.state else {
      return cut(snapshot.outage == nil ? "connecting" : waiting(snapshot), columns)
    }
    guard let track = state.track else { return cut("\(room(state)): nothing plays", columns) }
    let mark = state.paused ? "||" : snapshot.heard == nil ? ".." : "> "
    let place = snapshot.heard ?? snapshot.expected ?? .zero
    let times = "\(TimeText.text(place))/\(TimeText.text(track.length))"
    let title = (snapshot.source == .library ? "library: " : "") + self.title(track)
    let progress = [20, 10].map { Self.progress(place, track.length, $0, isPlain: isPlain) }
    let buffer = BufferBar.text(snapshot.segments)
    let drift = drift(snapshot)
    // What does not fit goes: half of the progress line, the bars, in the end that of the title.
    let choices = [
      [times, progress[0], buffer, drift], [times, progress[1], buffer, drift],
      [times, progress[0], drift], [times, progress[1], drift], [times, drift],
    ]
    let tails = choices.map { $0.filter { !$0.isEmpty }.joined(separator: " ") } + [times]
    let room = { (tail: String) in columns - Printable.width(mark) - Printable.width(tail) - 2 }
    let tail = tails.first { room($0) >= min(Printable.width(title), 16) } ?? times
    return cut("\(mark) \(Printable.truncated(title, to: max(room(tail), 0))) \(tail)", columns)
  }

  private static func cut(_ text: String, _ columns: Int) -> String {
    Printable.truncated(text, to: columns)
  }

  private static func room(_ state: ChannelState) -> String { Printable.escaped(state.channelName) }

  private static func title(_ track: Track) -> String {
    let artist = track.artist.map { "\(Printable.escaped($0)) - " } ?? ""
    return artist + Printable.escaped(track.displayTitle)
  }

  private static func progress(
    _ place: Duration, _ length: Duration?, _ columns: Int, isPlain: Bool
  ) -> String {
    let share = length.map { $0 > .zero ? place / $0 : 0 } ?? 0
    let filled = Int((Double(columns) * min(max(share, 0), 1)).rounded())
    return String(repeating: isPlain ? "=" : "━", count: filled)
      + String(repeating: isPlain ? "-" : "─", count: columns - filled)
  }

  private static func waiting(_ snapshot: ListeningSnapshot) -> String {
    let server = snapshot.server.map { Printable.escaped($0.description) } ?? "the server"
    let cached = snapshot.outage?.cached.map { ", \(counted($0, "track")) cached" } ?? ""
    return "no connection to \(server)\(cached)"
  }

  private static func drift(_ snapshot: ListeningSnapshot) -> String {
    if !snapshot.isConnected { return "unsynced" }
    guard let drift = snapshot.drift else { return "" }
    let tenths = (drift.inSeconds * 10000).rounded() / 10
    // Nothing is neither ahead nor behind, also where it was rounded from below.
    return tenths == 0 ? "0.0 ms" : "\(tenths > 0 ? "+" : "")\(tenths) ms"
  }
}
