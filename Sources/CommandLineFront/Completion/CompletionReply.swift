import Caching
import Control
import RoomClient
import RoomProtocol

/// The hidden command that completion scripts ask: `blastoise __complete WORDS...`, the last being
/// the one that is typed.
///
/// It prints a candidate a line, behind a tab what it means; `:file` or `:folder` where the shell
/// is to look for itself. It reads what is kept on disk, writes nothing and never asks the network;
/// the running listener tells which server is meant, by the socket it has on this machine.
struct CompletionReply {
  /// What the command is called.
  static let command = "__complete"
  /// The option with which bash gives the line up to the cursor as one word, and then the letters
  /// that part its words.
  static let lineOption = "--line"

  /// How many titles, albums or artists are offered.
  private static let limit = 100
  /// How long the listener may take: nobody waits for Tab.
  private static let patience = Duration.milliseconds(200)

  let environment: [String: String]

  /// The lines that answer a request.
  func lines(_ arguments: [String]) async -> [String] {
    if arguments.first == Self.lineOption {
      let breaks = arguments.dropFirst(2).first ?? ""
      let split = ShellWords(
        arguments.dropFirst().first ?? "", breaks: breaks.filter { !"'\"".contains($0) })
      // The first word is the program; alone it is not ours to complete.
      guard !split.words.isEmpty else { return [] }
      let typed = split.current ?? ""
      let found = await completion(after: Array(split.words.dropFirst()), typing: typed)
      return Self.lines(found) { word in
        BashWord.typed(String(word.dropFirst(split.brokenLength)), in: split.opening)
      }
    }
    return Self.lines(
      await completion(after: Array(arguments.dropLast()), typing: arguments.last ?? ""))
  }

  private static func lines(
    _ completion: Completion, word: (String) -> String = { $0 }
  ) -> [String] {
    if let paths = completion.paths { return [":" + paths.rawValue] }
    return completion.candidates.map { candidate in
      word(candidate.text) + (candidate.help.map { "\t\($0)" } ?? "")
    }
  }

  private func completion(after words: [String], typing typed: String) async -> Completion {
    let wanted = Completion.wanted(after: words, typing: typed)
    var known: [Completion.Names: [String]] = [:]
    for kind in wanted.kinds { known[kind] = await names(kind, wanted) }
    return Completion(after: words, typing: typed) { known[$0] ?? [] }
  }

  /// The names of a kind as they are kept.
  func names(_ kind: Completion.Names, _ wanted: Completion.Wanted) async -> [String] {
    let settings = Settings(
      Invocation(command: .channelList, values: wanted.options), environment: environment)
    switch kind {
    case .servers: return settings.names(.server)
    case .outputs: return settings.names(.output)
    case .settings:
      return OptionSpec.settings.compactMap(\.key) + OptionSpec.settings.map(\.name)
        + settings.text.entries.map(\.key)
    // Those of the listeners that run, or did.
    case .instances: return folders.all.map(\.instance)
    case .channels, .playlists:
      guard let server = await server(settings, wanted) else { return [] }
      return KnownNames(folder: CommandContext.stateFolder(environment), server: server).names(kind)
    case .tracks, .albums, .artists:
      guard let server = await server(settings, wanted) else { return [] }
      let marks = kind == .tracks && wanted.typed.hasPrefix("@") ? ["@current", "@last"] : []
      return await marks + library(kind, wanted.typed, server)
    }
  }

  /// The server that the command will mean: the listener's, where no other one is named.
  private func server(
    _ settings: Settings, _ wanted: Completion.Wanted
  ) async -> ServerAddress? {
    let variable = OptionSpec.server.variable.flatMap { environment[$0] } ?? ""
    let isNamed =
      wanted.options[OptionSpec.server.name] != nil
      || !variable.isEmpty && wanted.options[OptionSpec.instance.name] == nil
    if !isNamed, let server = await listenersServer(settings[.instance]) { return server }
    var values = wanted.options
    values[OptionSpec.server.name] = settings[.server]
    let meant = Invocation(command: .channelList, values: values)
    guard let completed = try? settings.completing(meant) else { return nil }
    return try? ServerAddress.setting(completed[.server])
  }

  private func listenersServer(_ instance: String?) async -> ServerAddress? {
    let instance = instance ?? ControlPlace.standardInstance
    for place in (try? folders.places(of: instance)) ?? [] {
      guard let client = try? await ControlClient.connect(to: place, within: Self.patience) else {
        continue
      }
      return client.hello["server"].text.flatMap { try? ServerAddress($0) }
    }
    return nil
  }

  private func library(
    _ kind: Completion.Names, _ typed: String, _ server: ServerAddress
  ) async -> [String] {
    let listing = LibraryListing(
      folder: TrackCache.defaultFolder(environment: environment), server: server.description)
    guard listing.isKept else { return [] }
    let found: [String]?
    switch kind {
    case .albums: found = try? await listing.albums()
    case .artists: found = try? await listing.artists()
    default:
      // Where nothing is typed all would be candidates.
      guard !typed.isEmpty else { return [] }
      found = try? await listing.search(typed, limit: Self.limit).map(\.displayTitle)
    }
    return found ?? []
  }

  private var folders: ControlFolders {
    ControlFolders(environment: environment, state: CommandContext.stateFolder(environment))
  }
}
