import CWebSockets
import Platform
import Synchronization

/// What other threads ask of a thread that serves libwebsockets: a mailbox that wakes its poll.
///
/// Threading: `post` and `postLast` from anywhere; the rest is for the serving thread.
package final class ServiceInbox<Item: Sendable>: Sendable {
  private struct Door {
    var isOpen = true
    // SAFETY: libwebsockets' context, given by other threads to lws_cancel_service alone (the one
    // call made for that), under this state's lock, and forgotten before the context is freed.
    nonisolated(unsafe) var context: OpaquePointer?
  }

  private let items = Mailbox<Item>()
  private let door = Mutex(Door())

  /// Makes an inbox that wakes nobody yet; what is posted waits.
  package init() {}

  /// Hands an item to the thread.
  ///
  /// - Returns: false where the inbox is closed; the item is lost then.
  package func post(_ item: Item) -> Bool {
    post(item, closing: false)
  }

  /// Hands the last item to the thread and refuses all later ones; does nothing when closed.
  package func postLast(_ item: Item) {
    _ = post(item, closing: true)
  }

  private func post(_ item: Item, closing: Bool) -> Bool {
    door.withLock { door in
      guard door.isOpen else { return false }
      door.isOpen = !closing
      items.post(item)
      // Inside the lock, so that the context can't be destroyed at the same time.
      if let context = door.context { lws_cancel_service(context) }
      return true
    }
  }

  /// Names the context whose poll is to be woken.
  func attach(to context: OpaquePointer?) {
    let address = UInt(bitPattern: context)
    door.withLock { $0.context = OpaquePointer(bitPattern: address) }
  }

  /// Takes what waits, without blocking.
  package func takeAll() -> [Item] { items.takeAll() }

  /// Waits for an item, without any context to serve, and takes all there are.
  func take() -> [Item] { items.take() }

  /// Refuses all later items, forgets the context and takes what waits.
  package func close() -> [Item] {
    door.withLock { door in
      door.isOpen = false
      door.context = nil
    }
    return items.takeAll()
  }
}
