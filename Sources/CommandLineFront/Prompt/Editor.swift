#if LineEditing
  import CEdit
  import Glibc

  /// libedit's editor on the terminal, with the now-playing line above the line being typed.
  ///
  /// libedit draws from the row of its mark downwards and knows nothing of the row above. To write
  /// there the cursor goes up by as many rows as `EditorRows` counts, and comes back, or libedit
  /// draws anew from where it is left.
  ///
  /// Threading: one thread makes it, calls it, and is called back by libedit.
  final class Editor {
    private let edit: OpaquePointer
    private let inbox: WakingInbox<EditedPrompt.Order>
    private let history: PromptHistory
    private let kept: OpaquePointer?
    private let complete: LineCompleter
    private var keys = UTF8Collector()
    private var status = ""
    /// The now-playing line as it stands on the terminal.
    private var drawnStatus = ""
    private var mark = PromptMark.command
    private var markText: UnsafeMutablePointer<CChar>?
    private var isClosing = false
    /// Whether a shell has the terminal, or has had it since anything was drawn.
    private var isAway = false
    /// Whether no keys come any more: the terminal is gone.
    private var isDeaf = false
    private var size = (columns: 80, rows: 24)

    /// Takes the terminal over; nil where libedit does not know its type.
    init?(
      inbox: WakingInbox<EditedPrompt.Order>, history: PromptHistory,
      complete: @escaping LineCompleter
    ) {
      setUTF8()
      guard let edit = cedit_open("blastoise", STDIN_FILENO, STDOUT_FILENO) else { return nil }
      guard cedit_knows_terminal(edit) else {
        cedit_close(edit)
        return nil
      }
      self.edit = edit
      self.inbox = inbox
      self.history = history
      self.complete = complete
      kept = cedit_history(edit, Int32(PromptHistory.limit))
      if let kept { for line in history.lines { cedit_remember(kept, line) } }
      cedit_set_context(edit, Unmanaged.passUnretained(self).toOpaque())
      cedit_set_string(edit, EL_EDITOR, "emacs")
      cedit_set_integer(edit, EL_SIGNAL, 0)
      cedit_keep_quiet(edit)
      cedit_set_prompt(edit, editorPrompt)
      cedit_set_read(edit, editorRead)
      cedit_add_command(edit, "complete", "complete the word", editorComplete)
      cedit_add_command(edit, "clear-all", "clear the screen", editorClear)
      for (keys, command) in Self.bindings { cedit_bind(edit, keys, command) }
      // The user's own keys stand above ours.
      el_source(edit, nil)
      measure()
    }

    deinit { free(markText) }

    /// What libedit does not bind by itself.
    private static let bindings = [
      ("^I", "complete"), ("^L", "clear-all"), ("^R", "em-inc-search-prev"),
      ("\\e[3~", "ed-delete-next-char"), ("\\e[1;5C", "em-next-word"),
      ("\\e[1;5D", "ed-prev-word"), ("\\e[H", "ed-move-to-beg"), ("\\eOH", "ed-move-to-beg"),
      ("\\e[1~", "ed-move-to-beg"), ("\\e[F", "ed-move-to-end"), ("\\eOF", "ed-move-to-end"),
      ("\\e[4~", "ed-move-to-end"),
    ]

    /// Waits for a line; nil at the end.
    func nextLine() -> String? {
      if isClosing { return nil }
      writeStatus()
      var count: Int32 = 0
      guard let start = el_gets(edit, &count), count > 0, !isClosing else {
        if !isClosing { eraseBottom() }
        return nil
      }
      var line = String(cString: start)
      if line.last?.isNewline == true { line.removeLast() }
      // The cursor is below the line: the now-playing line goes, what was typed stays in sight.
      let rows = rows(upTo: mark + line).row + 1
      write(up(rows + statusRows) + "\r\u{1B}[J\(mark)\(Printable.escaped(line))\r\n")
      if mark == PromptMark.command {
        if let kept, !line.isEmpty { cedit_remember(kept, line) }
        // A history that can't be kept is good for this run still.
        try? history.append(line)
      }
      return line
    }

    /// Gives the terminal back, where it is ours to give.
    func end() {
      if Keyboard.isOurs { cedit_close(edit) }
      if let kept { history_end(kept) }
    }

    // MARK: Called by libedit

    /// The next key; meanwhile what is to be shown is shown.
    fileprivate func read(into character: UnsafeMutablePointer<wchar_t>) -> Int32 {
      while true {
        if let scalar = keys.next() {
          character.pointee = wchar_t(bitPattern: scalar.value)
          return 1
        }
        regainTerminal()
        var waiting = [
          pollfd(fd: isAway || isDeaf ? -1 : STDIN_FILENO, events: Int16(POLLIN), revents: 0),
          pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let patience = isAway && !isDeaf ? Int32(Keyboard.patience / .milliseconds(1)) : -1
        _ = poll(&waiting, 2, patience)
        regainTerminal()
        if waiting[1].revents != 0 { serve(inbox.takeAll()) }
        if isClosing {
          // libedit would set the shell's terminal on its way out: the process ends without it.
          while isAway { poll(nil, 0, -1) }
          return 0
        }
        if waiting[0].revents != 0, !isAway { takeKeys() }
      }
    }

    private func takeKeys() {
      var block = [UInt8](repeating: 0, count: 256)
      let count = Glibc.read(STDIN_FILENO, &block, block.count)
      if count > 0 { return keys.add(block[..<count]) }
      // A shell may have taken the terminal this very moment. One that is gone is told by SIGHUP.
      isDeaf = (count == 0 || errno != EINTR) && Keyboard.isOurs
    }

    /// The mark before the line, as libedit asks for it.
    fileprivate var markForEditor: UnsafeMutablePointer<CChar>? {
      if markText == nil { markText = strdup(mark) }
      return markText
    }

    /// Completes the word before the cursor.
    fileprivate func completeWord() -> UInt8 {
      guard let result = complete(textBeforeCursor) else { return UInt8(CC_ERROR) }
      if !result.choices.isEmpty {
        let lines = result.choices.map { Printable.truncated($0, to: size.columns - 1) }
        show(lines.joined(separator: "\n"))
      }
      el_deletestr(edit, Int32(result.deletion))
      el_insertstr(edit, result.insertion)
      return UInt8(CC_REFRESH)
    }

    /// Clears the screen, down to the two lines of ours.
    fileprivate func clear() -> UInt8 {
      write("\u{1B}[H\u{1B}[2J")
      writeStatus()
      cedit_refresh(edit)
      return UInt8(CC_NORM)
    }

    // MARK: Drawing

    private func serve(_ orders: [EditedPrompt.Order]) {
      var shown: [String] = []
      var newMark = mark
      let isResized = measure()
      for order in orders {
        switch order {
        case .show(let text): shown.append(text)
        case .status(let text): status = text
        case .mark(let text): newMark = text
        case .look: break
        case .close: isClosing = true
        }
      }
      regainTerminal()
      if isAway {
        // The shell's line stands at the bottom: what happens is told, and nothing is drawn.
        for text in shown { write(Self.lineEnds(text) + "\r\n") }
        setMark(newMark)
      } else if isClosing {
        eraseBottom()
        for text in shown { write(Self.lineEnds(text) + "\r\n") }
      } else if !shown.isEmpty || isResized || newMark != mark {
        show(shown.joined(separator: "\n"), newMark: newMark)
      } else if fittedStatus != drawnStatus {
        drawStatus()
      }
    }

    /// Writes lines above the bottom two, and those anew.
    private func show(_ text: String, newMark: String? = nil) {
      eraseBottom()
      if let newMark { setMark(newMark) }
      if !text.isEmpty { write(Self.lineEnds(text) + "\r\n") }
      writeStatus()
      cedit_refresh(edit)
    }

    private func setMark(_ new: String) {
      guard new != mark else { return }
      mark = new
      free(markText)
      markText = nil
    }

    private func writeStatus() {
      drawnStatus = fittedStatus
      write(drawnStatus + "\r\n")
    }

    /// The terminal may have become narrower than the one the line was made for.
    private var fittedStatus: String { Printable.truncated(status, to: size.columns - 1) }

    private func drawStatus() {
      let rows = cursorRow + statusRows
      drawnStatus = fittedStatus
      write("\u{1B}7\(up(rows))\r\(drawnStatus)\u{1B}[K\u{1B}8")
    }

    private func eraseBottom() {
      write(up(cursorRow + statusRows) + "\r\u{1B}[J")
    }

    private static func lineEnds(_ text: String) -> String { text.replacing("\n", with: "\r\n") }

    private func up(_ rows: Int) -> String { rows > 0 ? "\u{1B}[\(rows)A" : "" }

    // MARK: Where things are

    /// The rows that the now-playing line takes: one, unless the terminal has become narrower.
    private var statusRows: Int {
      Printable.rows(drawnStatus, columns: size.columns)
    }

    private var cursorRow: Int {
      let info = el_line(edit).pointee
      var rows = rows(upTo: mark + textBeforeCursor)
      let rest = UnsafeRawBufferPointer(start: info.cursor, count: info.lastchar - info.cursor)
      if let next = String(decoding: rest, as: UTF8.self).unicodeScalars.first {
        rows.stand(before: next)
      }
      return min(rows.row, size.rows - 1)
    }

    private var textBeforeCursor: String {
      let info = el_line(edit).pointee
      let bytes = UnsafeRawBufferPointer(start: info.buffer, count: info.cursor - info.buffer)
      return String(decoding: bytes, as: UTF8.self)
    }

    private func rows(upTo text: String) -> EditorRows {
      var rows = EditorRows(columns: size.columns) { Int(wcwidth(wchar_t($0.value))) }
      rows.add(text)
      return rows
    }

    /// Looks at the terminal's size; true where it has changed.
    @discardableResult
    private func measure() -> Bool {
      var now = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &now) == 0, now.ws_col > 0 else { return false }
      let before = size
      size = (Int(now.ws_col), max(2, Int(now.ws_row)))
      guard size != before else { return false }
      el_resize(edit)
      return true
    }

    /// Notices that a shell has the terminal, and takes it back after that, or where its settings
    /// have become another's.
    private func regainTerminal() {
      guard Keyboard.isOurs else { return isAway = true }
      guard isAway || TerminalEcho.gathersLines else { return }
      isAway = false
      measure()
      cedit_set_integer(edit, EL_PREP_TERM, 0)
      cedit_set_integer(edit, EL_PREP_TERM, 1)
      // Another has written since: nothing of ours stands above the cursor any more.
      write("\r\u{1B}[J")
      writeStatus()
      cedit_refresh(edit)
    }

    private func write(_ text: String) {
      // A terminal that is gone is told by the keys that end.
      _ = Console.writeWhole(text, to: STDOUT_FILENO)
    }
  }

  /// libedit encodes what it writes by the locale: UTF-8, whatever the environment says.
  private func setUTF8() {
    setlocale(LC_CTYPE, "")
    guard let codeset = nl_langinfo(Int32(CODESET)), String(cString: codeset) != "UTF-8" else {
      return
    }
    setlocale(LC_CTYPE, "C.UTF-8")
  }

  private func editor(of edit: OpaquePointer?) -> Editor? {
    guard let edit, let context = cedit_context(edit) else { return nil }
    return Unmanaged<Editor>.fromOpaque(context).takeUnretainedValue()
  }

  private func editorRead(
    _ edit: OpaquePointer?, _ character: UnsafeMutablePointer<wchar_t>?
  ) -> Int32 {
    guard let editor = editor(of: edit), let character else { return -1 }
    return editor.read(into: character)
  }

  private func editorPrompt(_ edit: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
    editor(of: edit)?.markForEditor
  }

  private func editorComplete(_ edit: OpaquePointer?, _ key: Int32) -> UInt8 {
    editor(of: edit)?.completeWord() ?? UInt8(CC_ERROR)
  }

  private func editorClear(_ edit: OpaquePointer?, _ key: Int32) -> UInt8 {
    editor(of: edit)?.clear() ?? UInt8(CC_ERROR)
  }
#endif
