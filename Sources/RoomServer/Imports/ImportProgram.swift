import Glibc
import Platform
import RoomProtocol

/// The program that gets tracks from elsewhere: yt-dlp, called with its own options.
///
/// Threading: `look` and `download` block until the program has ended.
struct ImportProgram: Sendable {
  /// What a look at an address found.
  enum Finding: Sendable {
    case single(title: String?, url: String)
    case list(title: String, items: [FetchItem])
  }

  /// Something a download tells while it runs.
  enum News: Equatable {
    case title(String)
    /// In percent.
    case progress(Double)
    /// The bytes are here and are being converted.
    case arrived
  }

  /// Why there is nothing.
  struct Failure: Error {
    var reason: String
  }

  /// The most entries of a list that are looked at.
  static let itemLimit = 1000

  /// The program's path.
  let path: String

  /// Finds the program; nil where there is none that can be run.
  ///
  /// - Parameter name: its path, or a name that is looked for as the shell does.
  init?(_ name: String) {
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    let paths =
      name.contains("/") ? [name] : folders.split(separator: ":").map { "\($0)/\(name)" }
    guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { return nil }
    // A relative path would mean another one where the program runs.
    let full = realpath(path, nil)
    defer { free(full) }
    self.path = full.map { String(cString: $0) } ?? path
  }

  // MARK: Looking

  /// The run that looks at an address.
  func look(at url: String) -> ChildProcess {
    ChildProcess(
      [
        path, "--ignore-config", "--no-warnings", "--socket-timeout", "15", "--flat-playlist",
        "--playlist-end", String(Self.itemLimit), "-J", "--", url,
      ])
  }

  /// Reads what such a run prints.
  ///
  /// - Parameters:
  ///   - process: the run.
  ///   - url: the address it looks at.
  ///   - limit: how long it may take.
  /// - Returns: one track, or a list.
  /// - Throws: `Failure`.
  static func finding(
    of process: ChildProcess, at url: String, within limit: Duration
  ) throws(Failure) -> Finding {
    var text = ""
    var complaints = Complaints()
    let end = process.run(within: limit) {
      if $0.utf8.first == UInt8(ascii: "{") { text = $0 }
    } errors: {
      complaints.take($0)
    }
    guard end == .exited(0) else { throw complaints.failure(end) }
    guard let found = try? WireJSON.decode(Found.self, from: Array(text.utf8)) else {
      throw Failure(reason: "nothing was found there")
    }
    guard let entries = found.entries else {
      return .single(title: found.title, url: found.page ?? url)
    }
    let items = entries.elements.compactMap { entry -> FetchItem? in
      guard let url = entry.url ?? entry.page, ImportAddress.isValid(url) else {
        return nil
      }
      return FetchItem(id: entry.id, url: url, title: entry.title)
    }
    return .list(title: found.title ?? "Imports", items: items)
  }

  /// What the program tells of an address.
  private struct Found: WireReadable {
    var id: String?
    var title: String?
    var url: String?
    /// The address of the page it stands on.
    var page: String?
    var entries: TolerantList<Found>?

    init(wire: JSONValue) throws(WireError) {
      guard case .object = wire else { throw .unreadable(path: []) }
      id = wire["id"].text
      title = wire["title"].text
      url = wire["url"].text
      page = wire["webpage_url"].text
      entries = try? TolerantList(wire: wire["entries"])
    }
  }

  // MARK: Downloading

  private static let mark = "blastoise-"

  /// The run that gets one track.
  ///
  /// - Parameters:
  ///   - url: where from.
  ///   - folder: an empty folder for it.
  ///   - limit: the most bytes it may have.
  /// - Returns: the run, not yet started.
  func download(_ url: String, into folder: String, limit: Int64) -> ChildProcess {
    ChildProcess(
      [
        path, "--ignore-config", "--no-warnings", "--no-playlist", "--no-mtime", "--no-colors",
        "--socket-timeout", "30", "--newline", "--progress", "-f", "bestaudio/best", "-x",
        "--audio-format", "mp3", "--audio-quality", "0", "--embed-metadata",
        "--max-filesize", String(limit), "-o", "track.%(ext)s",
        "--progress-template",
        "download:\(Self.mark)progress %(progress.downloaded_bytes)s %(progress.total_bytes)s "
          + "%(progress.total_bytes_estimate)s",
        "--print", "before_dl:\(Self.mark)title %(title)s",
        "--print", "after_move:\(Self.mark)file %(filepath)s", "--", url,
      ], in: folder)
  }

  /// Follows such a run.
  ///
  /// - Parameters:
  ///   - process: the run.
  ///   - news: told what it is at, on this thread.
  /// - Returns: the name of the file in the folder of the run.
  /// - Throws: `Failure`.
  static func follow(
    _ process: ChildProcess, news: (News) -> Void
  ) throws(Failure) -> String {
    var name: String?
    var complaints = Complaints()
    func read(_ line: String) -> Bool {
      guard line.hasPrefix(mark) else { return false }
      let line = line.dropFirst(mark.count)
      if line.hasPrefix("title ") { news(.title(String(line.dropFirst(6)))) }
      if line.hasPrefix("progress ") {
        let numbers = line.split(separator: " ").dropFirst().map { Double($0) }
        guard numbers.count == 3, let loaded = numbers[0], let total = numbers[1] ?? numbers[2],
          total > 0
        else { return true }
        news(loaded < total ? .progress(100 * loaded / total) : .arrived)
      }
      if line.hasPrefix("file ") {
        name = line.dropFirst(5).split(separator: "/").last.map(String.init)
      }
      return true
    }
    let end = process.run {
      _ = read($0)
    } errors: { line in
      if !read(line) { complaints.take(line) }
    }
    guard end == .exited(0) else { throw complaints.failure(end) }
    guard let name else { throw Failure(reason: "nothing came, or too much") }
    return name
  }
}

/// What a program complains about: its last word counts.
private struct Complaints {
  private var last: String?

  mutating func take(_ line: String) {
    guard !line.isEmpty else { return }
    last = line.hasPrefix("ERROR: ") ? String(line.dropFirst(7)) : line
  }

  func failure(_ end: ChildProcess.End) -> ImportProgram.Failure {
    switch end {
    case .failed(let code):
      ImportProgram.Failure(reason: "the import program can't be run (\(code))")
    case .signalled: ImportProgram.Failure(reason: "the import program took too long")
    case .exited(let status):
      ImportProgram.Failure(
        reason: last.map { String($0.prefix(500)) } ?? "the import program ended with \(status)")
    }
  }
}

/// What may be given to the import program as an address.
enum ImportAddress {
  /// Whether it is one of the web, and nothing the program could take for something else.
  static func isValid(_ text: String) -> Bool {
    guard text.utf8.count <= 2048, !text.hasControlCharacters,
      !text.contains(where: \.isWhitespace), let colon = text.firstIndex(of: ":")
    else { return false }
    let rest = text[colon...]
    return ["http", "https"].contains(text[..<colon].lowercased()) && rest.hasPrefix("://")
      && (rest.dropFirst(3).first.map { !"/?#:@".contains($0) } ?? false)
  }
}
