import RoomServer
import TestSupport
import Testing
import Transport

/// Trust on all three ways to a server: requests, downloads and sockets.
@Suite(.timeLimit(.minutes(3))) struct TrustTests {
  /// What came of one way to a server: nil for success.
  struct Outcome {
    var request: TransportError.Cause?
    var download: TransportError.Cause?
    var socket: TransportError.Cause?

    var all: [TransportError.Cause?] { [request, download, socket] }
  }

  private func outcome(
    certificate: String, host: String,
    _ configure: (inout TransportConfiguration) -> Void = { _ in }
  ) async throws -> Outcome {
    var serving = ServerConfiguration()
    serving.certificate = Fixture.path("tls/\(certificate).pem")
    serving.key = Fixture.path("tls/\(certificate).key")
    let server = Server(serving)
    let port = try await server.start()
    var configuration = TransportConfiguration(userAgent: "BlastoiseCLI/test")
    configure(&configuration)
    let http = HTTPClient(configuration: configuration)
    let sockets = WebSocketClient(configuration: configuration)
    let url = try NetworkURL("https://\(host):\(port)")
    let request = await failure { () async throws(TransportError) in
      try await http.send(HTTPRequest(.get, url.appending(path: "/api/status")))
    }
    let download = await failure { () async throws(TransportError) in
      try await http.download(
        HTTPRequest(.get, url.appending(path: "/api/tracks/none")), to: Collector())
    }
    var socket: TransportError.Cause?
    let path = "/api/channels/lobby/ws"
    let connection = sockets.connect(to: url.appending(path: path).with(scheme: "wss"))
    for await event in connection.events {
      if case .failed(let error) = event, error.cause != .http(status: 404) {
        socket = error.cause
      }
      connection.close()
    }
    http.shutdown()
    sockets.shutdown()
    await server.stop()
    return Outcome(request: request, download: download, socket: socket)
  }

  private func isUntrusted(_ cause: TransportError.Cause?, _ host: String) -> Bool {
    if case .untrusted(host, let detail)? = cause { !detail.isEmpty } else { false }
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a certificate of a named authority is trusted`(host: String) async throws {
    let outcome = try await outcome(certificate: "good", host: host) {
      $0.certificateFile = Fixture.path("tls/ca.pem")
    }
    #expect(outcome.all.allSatisfy { $0 == nil }, "\(outcome)")
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a certificate of an unknown authority is refused on every way`(host: String) async throws {
    let outcome = try await outcome(certificate: "good", host: host)
    #expect(outcome.all.allSatisfy { isUntrusted($0, host) }, "\(outcome)")
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `a certificate for another name is refused on every way`(host: String) async throws {
    let outcome = try await outcome(certificate: "other", host: host) {
      $0.certificateFile = Fixture.path("tls/ca.pem")
    }
    #expect(outcome.all.allSatisfy { isUntrusted($0, host) }, "\(outcome)")
  }

  @Test func `a certificate that has ended is refused on every way`() async throws {
    let outcome = try await outcome(certificate: "expired", host: "localhost") {
      $0.certificateFile = Fixture.path("tls/ca.pem")
    }
    #expect(outcome.all.allSatisfy { isUntrusted($0, "localhost") }, "\(outcome)")
  }

  @Test(arguments: ["good", "other", "expired"])
  func `whoever wants no security gets any certificate`(certificate: String) async throws {
    let outcome = try await outcome(certificate: certificate, host: "localhost") {
      $0.isInsecure = true
    }
    #expect(outcome.all.allSatisfy { $0 == nil }, "\(outcome)")
  }

  @Test func `a socket to a name too long to be checked is not tried`() async throws {
    let name = String(repeating: "a", count: 60)
    let url = try NetworkURL("wss://\(name).\(name).example/")
    let client = WebSocketClient(
      configuration: TransportConfiguration(userAgent: "BlastoiseCLI/test"))
    defer { client.shutdown() }
    for await event in client.connect(to: url).events {
      guard case .failed(let error) = event else { continue }
      #expect(isUntrusted(error.cause, url.host))
    }
  }

  @Test(arguments: ["tls/missing.pem", "tls/README.md"])
  func `a file of authorities that is none is named`(file: String) async throws {
    let path = Fixture.path(file)
    let outcome = try await outcome(certificate: "good", host: "localhost") {
      $0.certificateFile = path
    }
    #expect(outcome.all.allSatisfy { $0 == .certificateFile(path: path) }, "\(outcome)")
  }
}
