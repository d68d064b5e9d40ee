import CAllocationCounter

/// Counts the allocations of one thread of this process.
struct AllocationWatch {
  private let thread: pid_t

  /// Finds a thread by its name; nil where there is none.
  ///
  /// - Parameter name: as given to `NamedThread`; the first of that name is watched.
  init?(threadNamed name: String) {
    let found = Folder.names(in: "/proc/self/task").first { thread in
      Folder.text(of: "/proc/self/task/\(thread)/comm") == "\(name.prefix(15))\n"
    }
    guard let found, let thread = pid_t(found) else { return nil }
    self.thread = thread
  }

  /// The allocations the thread has made since it began.
  var count: UInt64 { callocationcounter_thread(thread) }
}
