package import Platform
import Synchronization

/// Sends HTTP requests: one curl multi handle on one thread, whatever the number of requests.
///
/// Connections are kept and shared, HTTP/2 is used over TLS, answers come compressed. Cookies are
/// kept by curl's engine and go to no other host. A redirect within the host (or from `http` to
/// `https` of it) is followed up to five times; one to another host is followed without cookies
/// where the request allows it, else reported.
///
/// Threading: from anywhere. Cancelling the task aborts the transfer at once.
package final class HTTPClient: Sendable {
  /// How connections are made.
  package let configuration: TransportConfiguration

  /// The cookies.
  package let cookies: CookieStore

  private let loop: TransferLoop
  private let time: TimeSource

  /// Makes a client; its thread, and curl, start with the first request.
  ///
  /// - Parameters:
  ///   - configuration: how connections are made.
  ///   - cookies: the cookies to begin with.
  ///   - time: waits between attempts.
  package init(
    configuration: TransportConfiguration, cookies: [Cookie] = [], time: TimeSource = .live
  ) {
    let loop = TransferLoop(configuration: configuration)
    let store = CookieStore(loop: loop, cookies: cookies)
    self.configuration = configuration
    self.loop = loop
    self.cookies = store
    self.time = time
    loop.start { NamedThread(name: "http") { loop.run(cookies: store) } }
  }

  deinit { _ = loop.stop() }

  /// Sends a request and waits for the whole answer.
  ///
  /// - Parameter request: its `sizeLimit`, or the configuration's, bounds the answer in memory.
  /// - Returns: the answer, whatever its status.
  /// - Throws: `TransportError` when there is no answer.
  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    var attempt = 0
    while true {
      let outcome = await perform(request, receiver: nil)
      let isRepeatable = request.method.isIdempotent && outcome.isTransient
      guard isRepeatable, attempt < request.retries else { return try outcome.get() }
      let pause = Duration.milliseconds(250 << attempt)
      attempt += 1
      do {
        try await time.sleep(time.now() + pause)
      } catch {
        throw request.error(.cancelled)
      }
    }
  }

  /// Sends a request and hands the bytes of the answer on as they arrive.
  ///
  /// It is never repeated, compressed only where the request says so, and has no time limit but the
  /// idle one.
  ///
  /// - Parameters:
  ///   - request: a GET, as a rule.
  ///   - receiver: takes head and bytes, on the client's thread.
  /// - Returns: the answer, with a body only where it is no success (64 KiB of it at most).
  /// - Throws: `TransportError` when there is no answer or it broke off.
  package func download(
    _ request: HTTPRequest, to receiver: any BodyReceiver
  ) async throws(TransportError) -> HTTPResponse {
    var request = request
    request.hasTotalTimeout = false
    return try await perform(request, receiver: receiver).get()
  }

  /// Aborts what is under way and joins the thread; nothing can be sent afterwards.
  ///
  /// Blocks for a moment.
  package func shutdown() {
    loop.stop()?.join()
    cookies.finish()
  }

  private func perform(
    _ request: HTTPRequest, receiver: (any BodyReceiver)?
  ) async -> Result<HTTPResponse, TransportError> {
    let ticket = TransferTicket(request: request, receiver: receiver)
    let start = ContinuousClock.now
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if !loop.post(.start(ticket, continuation)) {
          continuation.resume(returning: .failure(request.error(.stopped)))
        }
      }
    } onCancel: {
      ticket.isCancelled.store(true, ordering: .releasing)
      _ = loop.post(.cancel(ticket))
    }
    configuration.trace?(
      RequestTrace(
        operation: request.method.rawValue, url: request.url.redacted,
        status: try? result.get().status, duration: ContinuousClock.now - start))
    return result
  }
}

/// One request on its way, as the asking side knows it.
final class TransferTicket: Sendable {
  let request: HTTPRequest
  let receiver: (any BodyReceiver)?
  /// Set before `.cancel` is posted, so that a cancellation that overtakes the start is seen too.
  let isCancelled = Atomic(false)

  init(request: HTTPRequest, receiver: (any BodyReceiver)?) {
    self.request = request
    self.receiver = receiver
  }
}

extension HTTPRequest {
  func error(_ cause: TransportError.Cause) -> TransportError {
    TransportError(operation: method.rawValue, url: url.redacted, cause: cause)
  }
}

extension Result<HTTPResponse, TransportError> {
  /// Whether another attempt may bring more.
  fileprivate var isTransient: Bool {
    switch self {
    case .success(let response): [502, 503, 504].contains(response.status)
    case .failure(let error):
      switch error.cause {
      case .unreachable, .interrupted: true
      default: false
      }
    }
  }
}
