import Caching
import Glibc
import RoomClient
import RoomProtocol
import Synchronization
import Transport

/// `upload`: files into the server's library, one after the other.
enum UploadCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let files = context.invocation.operands.map(UploadFile.init)
    // Whatever can't be sent is known before anybody is asked to take it.
    var report = UploadReport(context, count: files.count)
    let total = files.reduce(0) { $0 + ((try? $1.size()) ?? 0) }
    guard total > 0 else {
      for file in files { report.check(file) }
      return report.status
    }
    return try await context.withServer { session in
      try await refuseGuests(session)
      var before: Int64 = 0
      var uploaded: [Track] = []
      for (index, file) in files.enumerated() {
        guard let size = report.check(file) else { continue }
        let place = Place(index: index, count: files.count, before: before, total: total)
        before += size
        do {
          let track = try await send(file, place, context, session)
          if let track { uploaded.append(track) }
          report.succeeded(file, track)
        } catch let error as RoomError {
          report.failed(file, error)
          if error.concernsAll {
            report.leaveOut(files[(index + 1)...])
            break
          }
        }
      }
      report.finish()
      // So that the next command finds them; where that fails the next refresh brings them.
      try? await context.library(of: session.server).listing.add(uploaded)
      return report.status
    }
  }

  /// Where a file stands among all.
  private struct Place {
    var index: Int
    var count: Int
    /// The bytes of the files before it.
    var before: Int64
    /// The bytes of all files.
    var total: Int64
  }

  private static func send(
    _ file: UploadFile, _ place: Place, _ context: CommandContext, _ session: ServerSession
  ) async throws(RoomError) -> Track? {
    let number = place.count > 1 ? "\(place.index + 1)/\(place.count) " : ""
    let bar = ProgressBar(context.console, label: number + file.shown)
    defer { bar.clear() }
    let speed = Speed()
    return try await session.api.upload(file.path, as: file.name) { sent, total in
      var details = [speed.text(sent)].compactMap(\.self)
      if place.count > 1 {
        let all = Double(place.before + sent) / Double(max(1, place.total))
        details.append("all \(Int(min(1, all) * 100)) %")
      }
      let detail = details.joined(separator: "  ")
      bar.update(Double(sent) / Double(max(1, total)), detail: detail)
    }
  }

  /// Guests may listen alone: they are told before anything is sent.
  private static func refuseGuests(_ session: ServerSession) async throws {
    let identity = try await session.api.me()
    guard let user = identity.user, user.isGuest, !user.isAdmin, identity.permissions.isEmpty else {
      return
    }
    throw Diagnostic.guestRefused("cannot upload")
  }
}

/// A file as it was named on the command line.
struct UploadFile: Sendable {
  var path: String

  /// What the server takes, by its documents.
  static let suffixes = ["mp3", "ogg", "flac", "wav", "m4a", "aac", "opus", "wma", "mp4"]

  init(_ path: String) { self.path = path }

  /// The name without its folders.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The name, fit for a terminal.
  var shown: String { Printable.escaped(name) }

  /// The file's size, where the server would take it.
  ///
  /// - Throws: `Diagnostic`: `no_file`, `bad_audio`.
  func size() throws(Diagnostic) -> Int64 {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Diagnostic(.noFile, what, why: Diagnostic.text(ofErrno: errno))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw Diagnostic(
        .noFile, what, why: isFolder ? "it is a folder" : "it is no plain file",
        hint: isFolder ? "name its files: \(Printable.escaped(folder))/*" : nil)
    }
    guard Self.suffixes.contains(suffix) else {
      throw Diagnostic(
        .badAudio, what, why: "the server takes no such files",
        hint: "it takes " + Self.suffixes.map { ".\($0)" }.joined(separator: " "))
    }
    guard access(path, R_OK) == 0 else {
      throw Diagnostic(.noFile, what, why: Diagnostic.text(ofErrno: errno))
    }
    guard status.st_size > 0 else { throw Diagnostic(.badAudio, what, why: "it is empty") }
    return Int64(status.st_size)
  }

  /// The path without a slash at its end.
  private var folder: String { path.hasSuffix("/") ? String(path.dropLast()) : path }

  /// What can't be done, where it can't.
  private var what: String { "cannot upload \(path.isEmpty ? "\"\"" : Printable.escaped(path))" }

  /// Describes why the server did not take it.
  func failure(_ error: RoomError) -> Diagnostic { Diagnostic(error, what: what) }

  private var suffix: String {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? parts.last?.lowercased() ?? "" : ""
  }
}

/// What became of the files, told one by one.
private struct UploadReport {
  private let context: CommandContext
  private let count: Int
  private var sent = 0
  private var first: FailureCode?

  init(_ context: CommandContext, count: Int) {
    self.context = context
    self.count = count
  }

  /// How the program ends: as the first failure wants.
  var status: ExitStatus { first?.status ?? .done }

  /// The size of a file that can be sent; nil where it can't, which is told.
  @discardableResult
  mutating func check(_ file: UploadFile) -> Int64? {
    do throws(Diagnostic) {
      return try file.size()
    } catch {
      tell(error, of: file)
      return nil
    }
  }

  mutating func failed(_ file: UploadFile, _ error: RoomError) {
    tell(file.failure(error), of: file)
  }

  mutating func succeeded(_ file: UploadFile, _ track: Track?) {
    sent += 1
    let name = track.map { ": \($0.quotedName)" } ?? ""
    context.confirm(
      "uploaded \(Printable.escaped(file.path))\(name)",
      json: [
        "file": .text(file.path), "uploaded": true,
        "track": track.map { JSONValue(libraryTrack: $0, isCached: false) } ?? .null, "code": .null,
      ])
  }

  /// Says that the rest was not tried.
  func leaveOut(_ files: ArraySlice<UploadFile>) {
    guard !files.isEmpty else { return }
    context.console.note(
      "\(files.count) more file\(files.count == 1 ? " was" : "s were") not tried")
  }

  /// Says how many of several came through.
  func finish() {
    if count > 1 { context.console.note("uploaded \(sent) of \(count) files") }
  }

  private mutating func tell(_ diagnostic: Diagnostic, of file: UploadFile) {
    first = first ?? diagnostic.code
    _ = Front.report(diagnostic, on: context.console, json: context.isJSON)
    guard context.isJSON else { return }
    context.console.print([
      "file": .text(file.path), "uploaded": false, "track": .null,
      "code": .text(diagnostic.code.rawValue),
    ])
  }
}

extension RoomError {
  /// Whether the next file would meet the same.
  fileprivate var concernsAll: Bool {
    switch self {
    case .notSignedIn, .forbidden, .notFound, .unexpected: true
    case .transport(let error):
      switch error.cause {
      case .unreadable, .interrupted: false
      default: true
      }
    case .server: false
    }
  }
}

/// How fast bytes go, as an average since the start.
private final class Speed: Sendable {
  private let start = ContinuousClock.now

  /// `1.2 MB/s`; nil before there is an average.
  func text(_ bytes: Int64) -> String? {
    let seconds = (ContinuousClock.now - start).inSeconds
    return seconds > 0.2 ? SizeText.text(bytes: Double(bytes) / seconds) + "/s" : nil
  }
}
