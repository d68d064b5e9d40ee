/// What a web server is made with.
package struct WebServerOptions {
  /// The address to listen on: a number, `localhost`, or empty for all.
  package var host: String

  /// The port to listen on; 0 takes any free one.
  package var port: Int

  /// The file with the certificate chain, PEM; nil serves without TLS.
  package var certificate: String?

  /// The file with the certificate's key, PEM.
  package var key: String?

  /// What stands before every path, such as `/music`; empty for nothing.
  package var pathPrefix = ""

  /// The `Server` header.
  package var serverName: String

  /// The answer to paths outside of the prefix, and to methods nobody knows.
  package var notFound = OutgoingResponse(status: 404)

  /// Names the address and the server; the rest stands as it is.
  package init(host: String, port: Int, serverName: String) {
    self.host = host
    self.port = port
    self.serverName = serverName
  }
}

/// Why a web server could not start.
package enum WebServerError: Error, Equatable {
  /// The port can't be listened on; the code is an `errno`, 0 where the system gave none.
  case cannotListen(code: Int32)
  /// The certificate or its key can't be read or used.
  case certificate(path: String)
}
