import Caching
import RoomClient
import Transport

/// What the failure of a download means for the next attempt.
enum DownloadFailure {
  /// Whether trying again later may help: a dead line may come back, a missing file does not.
  static func isPassing(_ error: any Error) -> Bool {
    switch error {
    case CacheError.fetch(_, let cause): isPassing(cause)
    case CacheError.wrongLength, CacheError.changed, CacheError.brokenLine: true
    case RoomError.server(_, let status, _): status >= 500 || status == 408 || status == 429
    case RoomError.transport(let error):
      switch error.cause {
      case .untrusted, .certificateFile, .cancelled, .stopped: false
      default: true
      }
    default: false
    }
  }
}
