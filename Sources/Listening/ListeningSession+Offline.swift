import Caching
import Platform
import RoomClient
import RoomProtocol

/// What a listener is without its server.
extension ListeningSession {
  /// Keeps in mind that there is no connection; the first attempt that fails is when it is told what
  /// can be done without.
  func noteOutage(
    _ reason: ListeningEvent.Interruption.Reason, retryAfter delay: Duration, wasConnected: Bool
  ) async {
    let before = outage
    outage = Outage(
      since: before?.since ?? wallTime(), reason: reason, retryAt: time.now() + delay,
      cached: before?.cached)
    guard !wasConnected, before?.cached == nil else { return }
    let kept = try? await cache.keptIDs(server: server.server.description)
    let count = kept?.count ?? 0
    outage?.cached = count
    emit.yield(.offline(cached: count))
  }
}
