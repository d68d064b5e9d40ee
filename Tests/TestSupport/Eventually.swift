/// Waits until something is true, looking every few milliseconds.
///
/// For what happens on threads and sockets of their own, where no clock can be injected.
///
/// - Parameters:
///   - what: what is waited for, for the error.
///   - limit: how long at most; sanitizers and busy machines are slow.
///   - condition: whether it is so.
/// - Throws: `NeverHappened` after the limit.
package func eventually(
  _ what: String, within limit: Duration = .seconds(30),
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < end else { throw NeverHappened(what: what) }
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// What a test waited for did not come.
package struct NeverHappened: Error {
  package var what: String
}
