import Platform

/// Does what takes long on the disk, on a queue of its own.
///
/// Threading: one piece of work at a time; several workers work at once.
actor DiskWorker {
  private let executor = QueueExecutor(label: "disk")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Does a piece of work.
  func run<Result: Sendable, Failure: Error>(
    _ work: @Sendable () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try work()
  }
}
