import Listening
import RoomClient
import RoomProtocol

/// The line that says what is heard: title, position, a progress line, the buffer and the drift.
enum NowPlayingLine {
  private static let progressColumns = 20

  /// The line for a picture, at most `columns` wide.
  static func text(_ snapshot: ListeningSnapshot, columns: Int) -> String {
    guard let state = snapshot.state else {
      return cut(snapshot.outage == nil ? "connecting" : waiting(snapshot), columns)
    }
    guard let track = state.track else { return cut("\(room(state)): nothing plays", columns) }
    let mark = state.paused ? "||" : snapshot.heard == nil ? ".." : "> "
    let place = snapshot.heard ?? snapshot.expected ?? .zero
    let times = "\(TimeText.text(place))/\(TimeText.text(track.length))"
    let tail = [progress(place, track.length), BufferBar.text(snapshot.segments), drift(snapshot)]
    let title = (snapshot.source == .library ? "library: " : "") + self.title(track)
    // What does not fit goes from the right: first the bars, then the end of the title.
    for count in stride(from: tail.count, through: 0, by: -1) {
      let rest = ([times] + tail.prefix(count)).joined(separator: " ")
      let room = columns - Printable.width(mark) - Printable.width(rest) - 2
      if room >= min(Printable.width(title), 16) || count == 0 {
        return cut("\(mark) \(Printable.truncated(title, to: max(room, 0))) \(rest)", columns)
      }
    }
    return cut(title, columns)
  }

  private static func cut(_ text: String, _ columns: Int) -> String {
    Printable.truncated(text, to: columns)
  }

  private static func room(_ state: ChannelState) -> String { Printable.escaped(state.channelName) }

  private static func title(_ track: Track) -> String {
    let artist = track.artist.map { "\(Printable.escaped($0)) - " } ?? ""
    return artist + Printable.escaped(track.displayTitle)
  }

  private static func progress(_ place: Duration, _ length: Duration?) -> String {
    let share = length.map { $0 > .zero ? place / $0 : 0 } ?? 0
    let filled = Int((Double(progressColumns) * min(max(share, 0), 1)).rounded())
    return String(repeating: "━", count: filled)
      + String(repeating: "─", count: progressColumns - filled)
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
