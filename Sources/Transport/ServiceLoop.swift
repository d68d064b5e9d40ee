import CWebSockets

/// What the sockets' thread is asked to do.
enum ServiceCommand: Sendable {
  case connect(WebSocketConnection)
  case resolved(WebSocketConnection, [String])
  case wantsToWrite(WebSocketConnection)
  case stop
}

/// The way to the thread that serves libwebsockets, and that thread's body.
final class ServiceLoop: Sendable {
  private let configuration: TransportConfiguration
  private let inbox = ServiceInbox<ServiceCommand>()

  init(configuration: TransportConfiguration) {
    self.configuration = configuration
  }

  /// Hands a command to the thread.
  ///
  /// - Returns: false after `stop`; the command is lost then.
  func post(_ command: ServiceCommand) -> Bool { inbox.post(command) }

  /// Makes `run` end; every socket is told.
  func stop() { inbox.postLast(.stop) }

  /// The thread's body: serves until stopped.
  func run() {
    let driver = ServiceDriver(configuration: configuration, loop: self)
    inbox.attach(to: driver.context)
    // Without a context nothing can be connected; every attempt is told so.
    while driver.obey(driver.context == nil ? inbox.take() : inbox.takeAll()) {
      if let context = driver.context { lws_service(context, 0) }
    }
    _ = inbox.close()
    driver.close()
  }
}
