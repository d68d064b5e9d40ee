import CCurl
import Platform
import Synchronization

/// What the client's thread is asked to do.
enum TransferCommand: Sendable {
  case start(TransferTicket, CheckedContinuation<Result<HTTPResponse, TransportError>, Never>)
  case cancel(TransferTicket)
  case cookies(CookieChange)
  case stop
}

/// The way to the thread that runs curl's multi handle, and that thread's body.
final class TransferLoop: Sendable {
  private let configuration: TransportConfiguration
  private let commands = Mailbox<TransferCommand>()

  /// How far it is.
  private enum Phase {
    /// Nothing was asked for yet: how to begin.
    case idle(@Sendable () -> NamedThread)
    case running(NamedThread)
    case stopped
  }

  private let phase = Mutex(Phase.stopped)
  // SAFETY: set once, under `phase`'s lock, before the thread starts; other threads give it to
  // curl_multi_wakeup alone, which is made for that, under that lock too and only while it runs.
  nonisolated(unsafe) private var multi: UnsafeMutableRawPointer?

  init(configuration: TransportConfiguration) {
    self.configuration = configuration
  }

  private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Says how the thread is started, once there is something to do: curl's own start takes longer
  /// than many a command.
  func start(_ makeThread: @escaping @Sendable () -> NamedThread) {
    phase.withLock { $0 = .idle(makeThread) }
  }

  /// Hands a command to the thread.
  ///
  /// - Returns: false after `stop`; the command is lost then.
  func post(_ command: TransferCommand) -> Bool {
    phase.withLock { phase in
      switch phase {
      case .stopped: return false
      case .idle(let makeThread):
        precondition(Self.isCurlReady, "curl_global_init failed")
        multi = curl_multi_init()
        commands.post(command)
        phase = .running(makeThread())
      case .running:
        commands.post(command)
        curl_multi_wakeup(multi)
      }
      return true
    }
  }

  /// Makes `run` end; every command before it is answered.
  ///
  /// - Returns: the thread, to be joined; nil where it never ran, or was stopped before.
  func stop() -> NamedThread? {
    phase.withLock { phase in
      let before = phase
      phase = .stopped
      guard case .running(let thread) = before else { return nil }
      commands.post(.stop)
      curl_multi_wakeup(multi)
      return thread
    }
  }

  /// The thread's body: turns until stopped.
  func run(cookies: CookieStore) {
    // Set before the thread was made; the system had no memory where it is not.
    guard let multi else { fatalError("curl_multi_init failed") }
    let driver = TransferDriver(multi: multi, configuration: configuration, cookies: cookies)
    while driver.step(commands.takeAll()) {
      // Curl shortens the wait to its own timers; without transfers nothing wakes us but a command.
      curl_multi_poll(multi, nil, 0, driver.isHoldingBack ? 10 : 600_000, nil)
    }
    driver.close()
    // Taken once so that no wake-up of an earlier caller is still inside curl.
    phase.withLock { _ in _ = curl_multi_cleanup(multi) }
  }
}

/// The transfers under way: the state of the client's thread, known to it alone.
private final class TransferDriver {
  private let multi: UnsafeMutableRawPointer
  private let configuration: TransportConfiguration
  private let cookies: CookieStore
  private let engine: CookieEngine
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var continuations:
    [ObjectIdentifier: CheckedContinuation<Result<HTTPResponse, TransportError>, Never>] = [:]

  init(
    multi: UnsafeMutableRawPointer, configuration: TransportConfiguration, cookies: CookieStore
  ) {
    self.multi = multi
    self.configuration = configuration
    self.cookies = cookies
    engine = CookieEngine(cookies: cookies.all)
    // Keep as many connections as a room needs: REST, probes, a few downloads.
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 8)
  }

  /// Obeys commands, moves all transfers on, hands out what is done; false when told to stop.
  func step(_ commands: [TransferCommand]) -> Bool {
    var isStopping = false
    for command in commands {
      switch command {
      case .start(let ticket, let continuation):
        continuations[ObjectIdentifier(ticket)] = continuation
        start(ticket)
      case .cancel(let ticket):
        end(ticket, with: .failure(ticket.request.error(.cancelled)))
      case .cookies(let change):
        engine.apply(change.cookies, replacing: change.isReplacing)
        cookies.renew(engine.export())
        change.done.resume()
      case .stop:
        isStopping = true
      }
    }
    for transfer in transfers.values where transfer.isPaused { transfer.resumeIfWanted() }
    var running: Int32 = 0
    curl_multi_perform(multi, &running)
    collect()
    return !isStopping
  }

  /// Whether a transfer waits for its receiver, which nobody wakes us for.
  var isHoldingBack: Bool { transfers.values.contains(where: \.isPaused) }

  func close() {
    for transfer in Array(transfers.values) {
      end(transfer.ticket, with: .failure(transfer.ticket.request.error(.stopped)))
    }
  }

  private func start(_ ticket: TransferTicket) {
    guard !ticket.isCancelled.load(ordering: .acquiring) else {
      return end(ticket, with: .failure(ticket.request.error(.cancelled)))
    }
    add(Transfer(ticket: ticket, hop: Hop(ticket.request)))
  }

  private func add(_ transfer: Transfer) {
    transfer.prepare(configuration, cookies: engine)
    guard transfer.isReady else {
      return end(transfer.ticket, with: transfer.result(CURLE_READ_ERROR, configuration))
    }
    transfers[ObjectIdentifier(transfer.ticket)] = transfer
    curl_multi_add_handle(multi, transfer.easy)
  }

  private func collect() {
    var waiting: Int32 = 0
    while let message = curl_multi_info_read(multi, &waiting) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      let code = message.pointee.data.result
      var pointer: UnsafeMutableRawPointer?
      ccurl_easy_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &pointer)
      guard let pointer else { continue }
      let transfer = Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
      finish(transfer, code)
    }
  }

  private func finish(_ transfer: Transfer, _ code: CURLcode) {
    if transfer.setsCookies { cookies.renew(engine.export()) }
    if code == CURLE_OK, let next = transfer.nextHop {
      remove(transfer)
      add(Transfer(ticket: transfer.ticket, hop: next))
    } else {
      end(transfer.ticket, with: transfer.result(code, configuration))
    }
  }

  private func remove(_ transfer: Transfer) {
    curl_multi_remove_handle(multi, transfer.easy)
    transfers[ObjectIdentifier(transfer.ticket)] = nil
  }

  /// The one place where a request is answered; what is answered already is passed over.
  private func end(_ ticket: TransferTicket, with result: Result<HTTPResponse, TransportError>) {
    if let transfer = transfers[ObjectIdentifier(ticket)] { remove(transfer) }
    continuations.removeValue(forKey: ObjectIdentifier(ticket))?.resume(returning: result)
  }
}
