#if LineEditing
  import Glibc
  import Platform
  import Synchronization

  /// The prompt with libedit: the line can be edited, recalled from the history and completed.
  ///
  /// libedit belongs to one thread, "prompt", which waits for keys and for what is to be shown at
  /// once, and is the only one to write to the terminal.
  final class EditedPrompt: PromptScreen {
    let lines: AsyncStream<String>

    /// What the others ask of the thread.
    enum Order: Sendable {
      case show(String)
      case status(String)
      case mark(String)
      case look
      case close
    }

    private let inbox: WakingInbox<Order>
    private let lastStatus = Mutex("")
    private let closed = Mailbox<Bool>()
    private let watch: TerminalWatch

    /// Takes the terminal over; nil where libedit does not know its type.
    ///
    /// - Parameters:
    ///   - history: the lines of earlier runs, and where new ones go.
    ///   - complete: the completions of the line up to the cursor; called on the thread.
    init?(history: PromptHistory, complete: @escaping LineCompleter) {
      guard let inbox = WakingInbox<Order>() else { return nil }
      self.inbox = inbox
      watch = TerminalWatch { inbox.post(.look) }
      let (lines, typed) = AsyncStream<String>.makeStream()
      self.lines = lines
      let started = Mailbox<Bool>()
      let closed = closed
      TerminalEcho.remember()
      _ = NamedThread(name: "prompt") {
        guard let editor = Editor(inbox: inbox, history: history, complete: complete) else {
          started.post(false)
          return
        }
        started.post(true)
        while let line = editor.nextLine() { typed.yield(line) }
        editor.end()
        typed.yield("quit")
        typed.finish()
        closed.wake()
      }
      guard started.take().first == true else {
        TerminalEcho.restore()
        return nil
      }
    }

    func show(_ text: String) { inbox.post(.show(text)) }

    func draw(status: String) {
      let isNews = lastStatus.withLock { last in
        defer { last = status }
        return last != status
      }
      if isNews { inbox.post(.status(status)) }
    }

    func expectAnswer(_ isAnswer: Bool) {
      inbox.post(.mark(isAnswer ? PromptMark.answer : PromptMark.command))
    }

    func close() {
      inbox.post(.close)
      // A terminal that takes nothing any more must not keep the program from its end.
      closed.wait(timeout: .milliseconds(150))
      TerminalEcho.restore()
    }
  }
#endif
