import Synchronization
import TestSupport
import Transport

/// A receiver that keeps what a download brings.
final class Collector: BodyReceiver {
  struct Kept {
    var status: Int?
    var contentLength: Int64?
    var bytes: [UInt8] = []
  }

  private let kept = Mutex(Kept())
  private let limit: Int

  /// Aborts the download once it has more than `limit` bytes.
  init(limit: Int = .max) { self.limit = limit }

  var all: Kept { kept.withLock { $0 } }

  func response(status: Int, headers: HTTPHeaders, contentLength: Int64?) {
    kept.withLock {
      $0.status = status
      $0.contentLength = contentLength
    }
  }

  func data(_ bytes: UnsafeRawBufferPointer) -> Bool {
    kept.withLock {
      $0.bytes += bytes
      return $0.bytes.count <= limit
    }
  }
}

/// A stand-in server and a client for the length of a test.
func withStandIn<Result>(
  _ script: @escaping @Sendable (RawConnection) -> Void,
  configure: (inout TransportConfiguration) -> Void = { _ in },
  _ body: (HTTPClient, NetworkURL, RawServer) async throws -> Result
) async throws -> Result {
  try await withStandIn(script, configure: configure) { configuration, server in
    let client = HTTPClient(configuration: configuration)
    defer { client.shutdown() }
    return try await body(client, try NetworkURL("http://127.0.0.1:\(server.port)"), server)
  }
}

/// A stand-in server and a client of its sockets for the length of a test.
func withSocketStandIn<Result>(
  _ script: @escaping @Sendable (RawConnection) -> Void,
  configure: (inout TransportConfiguration) -> Void = { _ in },
  _ body: (WebSocketClient, RawServer) async throws -> Result
) async throws -> Result {
  try await withStandIn(script, configure: configure) { configuration, server in
    let client = WebSocketClient(configuration: configuration)
    defer { client.shutdown() }
    return try await body(client, server)
  }
}

private func withStandIn<Result>(
  _ script: @escaping @Sendable (RawConnection) -> Void,
  configure: (inout TransportConfiguration) -> Void,
  _ body: (TransportConfiguration, RawServer) async throws -> Result
) async throws -> Result {
  let server = try RawServer(script)
  defer { server.stop() }
  var configuration = TransportConfiguration(userAgent: "BlastoiseCLI/test")
  configure(&configuration)
  return try await body(configuration, server)
}

/// Reads a request and says nothing.
let silence: @Sendable (RawConnection) -> Void = { connection in
  guard connection.readHead() != nil else { return }
  connection.waitForEnd()
}

/// The error a throwing call threw, or nil.
func thrown<Value>(
  _ body: () async throws(TransportError) -> Value
) async -> TransportError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

/// What a throwing call threw, or nil.
func failure<Value>(
  _ body: () async throws(TransportError) -> Value
) async -> TransportError.Cause? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error.cause
  }
}
