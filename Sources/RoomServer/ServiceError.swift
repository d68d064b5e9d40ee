/// Why a server could not start, or could not do what its owner asked.
package enum ServiceError: Error, Equatable {
  /// The port can't be listened on; the code is an `errno`, 0 where the system gave none.
  case cannotListen(host: String, port: Int, code: Int32)
  /// The certificate or its key can't be read or used.
  case certificate(path: String)
  /// The music folder can't be read; the code is an `errno`.
  case musicFolder(path: String, code: Int32)
  /// The database can't be opened or written.
  case database(path: String, detail: String)
  /// The name of a user to be made is taken.
  case userExists(String)
  /// The server isn't running (any more).
  case notRunning
}
