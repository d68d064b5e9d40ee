import Glibc
import Synchronization

/// The cookies of an HTTP client: what its engine holds, readable from any thread.
///
/// The truth is curl's cookie engine on the client's thread; this is its last picture, renewed
/// before the answer that changed it is handed out.
package final class CookieStore: Sendable {
  private let loop: TransferLoop
  private let picture: Mutex<[Cookie]>
  private let announce: AsyncStream<[Cookie]>.Continuation

  /// All cookies after each change, for one reader; only the newest waits.
  package let changes: AsyncStream<[Cookie]>

  init(loop: TransferLoop, cookies: [Cookie]) {
    self.loop = loop
    picture = Mutex(cookies)
    (changes, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// All cookies.
  package var all: [Cookie] { picture.withLock { $0 } }

  /// The `Cookie` header for a request to an address, or nil where none applies.
  ///
  /// The rules are those of curl's engine: domain, path, TLS and end.
  package func header(for url: NetworkURL) -> String? {
    let now = Int64(time(nil))
    let fitting = all.filter { $0.applies(to: url) && !$0.isExpired(now: now) }
    guard !fitting.isEmpty else { return nil }
    // RFC 6265 5.4: the longer path first.
    return fitting.sorted { $0.path.count > $1.path.count }
      .map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }

  /// Puts cookies in beside the others, or in the place of their namesakes.
  package func put(_ cookies: [Cookie]) async {
    await apply(cookies, replacing: false)
  }

  /// Takes these cookies instead of all others.
  package func replaceAll(with cookies: [Cookie]) async {
    await apply(cookies, replacing: true)
  }

  /// Keeps what a WebSocket's handshake set.
  ///
  /// - Parameters:
  ///   - headers: the values of the `Set-Cookie` headers.
  ///   - url: the address of the WebSocket.
  package func keep(setCookie headers: [String], from url: NetworkURL) async {
    let now = Int64(time(nil))
    await put(headers.compactMap { Cookie(setCookie: $0, from: url, now: now) })
  }

  private func apply(_ cookies: [Cookie], replacing: Bool) async {
    guard replacing || !cookies.isEmpty else { return }
    await withCheckedContinuation { continuation in
      let done = CookieChange(cookies: cookies, isReplacing: replacing, done: continuation)
      if !loop.post(.cookies(done)) { continuation.resume() }
    }
  }

  /// Takes a new picture from the engine; on the client's thread.
  func renew(_ cookies: [Cookie]) {
    let isNew = picture.withLock { old in
      defer { old = cookies }
      return Set(old) != Set(cookies)
    }
    if isNew { announce.yield(cookies) }
  }

  func finish() { announce.finish() }
}

/// A change of the engine's cookies that somebody waits for.
struct CookieChange: Sendable {
  var cookies: [Cookie]
  var isReplacing: Bool
  var done: CheckedContinuation<Void, Never>
}
