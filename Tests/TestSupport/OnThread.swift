import Platform
import Synchronization

/// Does what may block on a thread of its own: blocked tasks would stop the pool they run on.
///
/// - Parameter work: what is done.
/// - Returns: what it gave.
/// - Throws: what it threw.
package func onThread<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  let result = Mutex<Result<Value, any Error>?>(nil)
  let (done, end) = AsyncStream.makeStream(of: Void.self)
  let thread = NamedThread(name: "test") {
    result.withLock { $0 = Result { try work() } }
    end.finish()
  }
  for await _ in done {}
  thread.join()
  return try result.withLock { $0 }?.get() ?? { throw CancellationError() }()
}
