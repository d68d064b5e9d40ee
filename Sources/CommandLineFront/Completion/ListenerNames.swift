import Listening
import Platform
import RoomProtocol
import Synchronization

/// The names known at a listener's prompt: its rooms and queue, and what is kept on disk.
///
/// Threading: told by one task, asked by the prompt's thread.
final class ListenerNames: Sendable {
  private let environment: [String: String]
  private let known = Mutex<(channels: [ChannelInfo], queue: [Track])>(([], []))

  /// - Parameter environment: says which server is meant and where things are kept.
  init(environment: [String: String]) {
    self.environment = environment
  }

  /// Takes what a picture of the listener tells.
  func update(_ snapshot: ListeningSnapshot) {
    known.withLock { $0 = (snapshot.channels, snapshot.queue ?? []) }
  }

  /// What Tab changes in a line.
  func completion(of line: String) -> LineCompletion? {
    let split = ShellWords(line)
    let words = PromptWords.expanded(split.words)
    let wanted = Completion.wanted(after: words, typing: split.current ?? "")
    return LineCompletion(of: line) { kind in
      let (channels, queue) = known.withLock { $0 }
      switch kind {
      case .channels where wanted.options[OptionSpec.server.name] == nil:
        return channels.map(\.name)
      case .tracks: return queue.map(\.displayTitle) + kept(kind, wanted)
      default: return kept(kind, wanted)
      }
    }
  }

  /// The names on disk, where they come within a moment: nobody waits long for Tab.
  private func kept(_ kind: Completion.Names, _ wanted: Completion.Wanted) -> [String] {
    let (reply, answer) = (CompletionReply(environment: environment), Mailbox<[String]>())
    Task { answer.post(await reply.names(kind, wanted)) }
    return answer.take(timeout: .milliseconds(300)).first ?? []
  }
}
