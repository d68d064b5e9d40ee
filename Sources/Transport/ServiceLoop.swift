import CWebSockets
import Platform
import Synchronization

/// What the sockets' thread is asked to do.
enum ServiceCommand: Sendable {
  case connect(WebSocketConnection)
  case resolved(WebSocketConnection, [String])
  case wantsToWrite(WebSocketConnection)
  case stop
}

/// The way to the thread that serves libwebsockets, and that thread's body.
final class ServiceLoop: Sendable {
  private struct Wakeable {
    var isOpen = true
    // SAFETY: libwebsockets' context, given by other threads to lws_cancel_service alone (the one
    // call made for that), under this state's lock, which is closed before the context is freed.
    nonisolated(unsafe) var context: OpaquePointer?
  }

  private let configuration: TransportConfiguration
  private let commands = Mailbox<ServiceCommand>()
  private let wakeable = Mutex(Wakeable())

  init(configuration: TransportConfiguration) {
    self.configuration = configuration
  }

  /// Hands a command to the thread.
  ///
  /// - Returns: false after `stop`; the command is lost then.
  func post(_ command: ServiceCommand) -> Bool {
    wakeable.withLock { wakeable in
      guard wakeable.isOpen else { return false }
      commands.post(command)
      if let context = wakeable.context { lws_cancel_service(context) }
      return true
    }
  }

  /// Makes `run` end; every socket is told.
  func stop() {
    wakeable.withLock { wakeable in
      guard wakeable.isOpen else { return }
      wakeable.isOpen = false
      commands.post(.stop)
      if let context = wakeable.context { lws_cancel_service(context) }
    }
  }

  /// The thread's body: serves until stopped.
  func run() {
    let driver = ServiceDriver(configuration: configuration, loop: self)
    wakeable.withLock { $0.context = driver.context }
    // Without a context nothing can be connected; every attempt is told so.
    while driver.obey(driver.context == nil ? commands.take() : commands.takeAll()) {
      if let context = driver.context { lws_service(context, 0) }
    }
    wakeable.withLock { $0.context = nil }
    driver.close()
  }
}
