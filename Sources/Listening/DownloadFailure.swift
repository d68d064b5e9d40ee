package import Caching
import RoomClient
import Transport

/// What the failure of a download means for the next attempt.
package enum DownloadFailure {
  /// Whether trying again later may help: a dead line may come back, a missing file does not.
  static func isPassing(_ error: any Error) -> Bool {
    [.passing, .line].contains(meaning(error))
  }

  /// What it means for the track and for others of the same server.
  ///
  /// - Parameter error: what a download has failed with.
  /// - Returns: the meaning.
  package static func meaning(_ error: any Error) -> FillFailure {
    switch error {
    case CacheError.fetch(_, let cause): meaning(cause)
    case CacheError.wrongLength, CacheError.changed, CacheError.brokenLine,
      CacheError.busy:
      .passing
    case CacheError.noRoom, CacheError.notKept, CacheError.file: .noRoom
    case RoomError.notSignedIn: .end
    case RoomError.server(_, let status, _):
      status >= 500 || status == 408 || status == 429 ? .passing : .lasting
    case RoomError.transport(let error): meaning(error.cause)
    // A page in the server's place: the portal of a hotel lets us through later.
    case RoomError.unexpected: .passing
    default: .lasting
    }
  }

  private static func meaning(_ cause: TransportError.Cause) -> FillFailure {
    switch cause {
    case .untrusted, .certificateFile, .stopped: .end
    case .cancelled: .lasting
    case .unknownHost, .unreachable: .line
    default: .passing
    }
  }
}
