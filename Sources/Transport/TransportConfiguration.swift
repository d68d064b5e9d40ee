/// How connections are made: names, trust, patience and bounds.
///
/// One value serves the HTTP client and the WebSocket client of a program, so that an untrusted
/// certificate is refused on REST, downloads and sockets alike.
package struct TransportConfiguration: Sendable {
  /// The User-Agent of every request and handshake, such as `BlastoiseCLI/0.1`.
  package var userAgent: String

  /// A file of PEM certificates that are trusted in addition to the system's, or nil.
  package var certificateFile: String?

  /// Whether any certificate is taken, whoever signed it and whatever name it bears.
  package var isInsecure = false

  /// How long a connection may take to stand, name look-up and TLS included.
  package var connectTimeout: Duration = .seconds(10)

  /// How long a transfer may stand still; whole seconds, 1 at least.
  package var idleTimeout: Duration = .seconds(30)

  /// How long a request may take in all, unless it says that it may take for ever.
  package var totalTimeout: Duration = .seconds(60)

  /// The largest answer kept in memory and the largest WebSocket message, in bytes.
  package var sizeLimit = 128 * 1024 * 1024

  /// The silence after which a WebSocket is pinged; whole seconds.
  package var pingInterval: Duration = .seconds(8)

  /// The silence after which a WebSocket is given up; whole seconds, more than `pingInterval`.
  package var pingTimeout: Duration = .seconds(18)

  /// Told of each HTTP request that has ended, from any thread; nil tells nobody.
  package var trace: (@Sendable (RequestTrace) -> Void)?

  /// Makes a configuration with the usual bounds and the system's trust.
  package init(userAgent: String) {
    self.userAgent = userAgent
  }
}

/// One HTTP request that has ended, for those who watch.
package struct RequestTrace: Sendable {
  /// The method, such as `GET`.
  package var operation: String
  /// The address, without user name, query and fragment.
  package var url: String
  /// The status of the answer; nil where there is none.
  package var status: Int?
  /// How long it took, its redirects included.
  package var duration: Duration
}

extension Duration {
  /// The whole milliseconds in it, at least 1.
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }

  /// The seconds in it, rounded up, at least 1.
  var wholeSeconds: Int { (milliseconds + 999) / 1000 }
}
