/// One HTTP request and its answer, which may come at once or later.
///
/// Threading: service thread only.
package final class HTTPExchange {
  /// The request; its body is whole when the handler gets it.
  package internal(set) var request: IncomingRequest

  /// Takes the body apart where it is a form.
  var form: FormReader?

  /// Whether the handler has the request (the library announces some requests twice).
  var hasBegun = false
  private var writer: ResponseWriter?

  private weak var connection: AcceptedConnection?

  init(request: IncomingRequest, connection: AcceptedConnection) {
    self.request = request
    self.connection = connection
  }

  /// Where the files of the body went, nil where it was no form that could be read.
  package var sink: (any FormSink)? { form.flatMap { $0.hasFailed ? nil : $0.sink } }

  /// Gives the answer; later ones, and one for a connection that is gone, are dropped.
  package func respond(_ response: OutgoingResponse) {
    guard writer == nil, let connection else { return }
    writer = ResponseWriter(
      response, hasBody: request.method != "HEAD", pieceSize: connection.pieceSize)
    connection.askForWritable()
  }

  /// Ends the connection without an answer.
  package func hangUp() { connection?.kill() }

  /// The answer's status, 0 before there is one.
  var status: Int { writer?.status ?? 0 }

  /// Writes the next piece of the answer; nil before there is one.
  func write(
    to wsi: OpaquePointer, server: String, through buffer: WriteBuffer
  ) -> ResponseWriter.Progress? {
    writer?.write(to: wsi, server: server, through: buffer)
  }
}
