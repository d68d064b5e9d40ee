import CWebSockets

/// The timers of a web server: closures run on its thread at a time of the monotonic clock.
///
/// One timer of the library stands for them all and is set to the earliest.
///
/// Threading: service thread only.
package final class ServerTimers {
  /// Names one scheduled action.
  package struct ID: Hashable, Sendable {
    fileprivate var number: UInt64
  }

  private struct Entry {
    var due: Int64
    var id: ID
    var action: () -> Void
  }

  private let context: OpaquePointer
  private let timer: UnsafeMutablePointer<cwebsockets_timer>
  private var entries: [Entry] = []  // the earliest last
  private var lastNumber: UInt64 = 0

  init(context: OpaquePointer) {
    self.context = context
    timer = .allocate(capacity: 1)
    timer.initialize(to: cwebsockets_timer())
    timer.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    timer.deallocate()
  }

  /// Runs an action once, after a while.
  ///
  /// - Parameters:
  ///   - delay: how long to wait at least; negative is none.
  ///   - action: runs on the service thread; it is kept until then.
  /// - Returns: its name, for `cancel`.
  @discardableResult
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> ID {
    lastNumber += 1
    let id = ID(number: lastNumber)
    let due = lws_now_usecs() + max(0, delay.microseconds)
    // Equal times run in the order they were scheduled in.
    let index = entries.firstIndex { $0.due <= due } ?? entries.endIndex
    entries.insert(Entry(due: due, id: id, action: action), at: index)
    arm()
    return id
  }

  /// Forgets an action that has not run yet.
  package func cancel(_ id: ID?) {
    guard let id else { return }
    entries.removeAll { $0.id == id }
    arm()
  }

  /// Forgets everything; called before the context is destroyed.
  func cancelAll() {
    entries.removeAll()
    arm()
  }

  fileprivate func fire() {
    let now = lws_now_usecs()
    while let next = entries.last, next.due <= now {
      entries.removeLast()
      next.action()
    }
    arm()
  }

  private func arm() {
    let delay = entries.last.map { max(1, $0.due - lws_now_usecs()) }
    withUnsafeMutablePointer(to: &timer.pointee.entry) { entry in
      lws_sul_schedule(context, 0, entry, timerFired, delay ?? Int64(LWS_SET_TIMER_USEC_CANCEL))
    }
  }
}

/// The library's timer went off.
private func timerFired(_ entry: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {
  guard let entry, let owner = cwebsockets_timer_owner(entry) else { return }
  Unmanaged<ServerTimers>.fromOpaque(owner).takeUnretainedValue().fire()
}

extension Duration {
  /// Whole microseconds, rounded down.
  fileprivate var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
