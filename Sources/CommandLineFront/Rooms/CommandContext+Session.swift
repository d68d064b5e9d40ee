import Listening
import RoomClient
import RoomProtocol

/// Who we are to a server, and what it means when that changes.
extension CommandContext {
  /// What is remembered of a server.
  func memory(of server: ServerAddress) -> ServerMemory {
    ServerMemory(of: server, state: stateFolder)
  }

  /// Asks who the server takes us for; where guests are allowed this makes a guest's session.
  ///
  /// Somebody who had signed in and is a guest now is told so.
  ///
  /// - Throws: `RoomError`.
  func identity(on session: ServerSession) async throws(RoomError) -> AuthEnvelope {
    let envelope = try await session.api.me()
    notice(envelope.user, of: session.server)
    return envelope
  }

  /// Keeps what a listener's event says that is worth remembering.
  func remember(_ event: ListeningEvent, of session: ServerSession) {
    // Without a store the server goes with this run.
    guard session.store != nil else { return }
    switch event {
    case .connected(let channel, let user):
      memory(of: session.server).remember(room: channel.id)
      notice(user, of: session.server)
    case .switched(let channel): memory(of: session.server).remember(room: channel.id)
    case .channels(let rooms): keepNames(.channels, rooms.map(\.name), of: session)
    case .serverMoved(let address): settings.adopt(address)
    // The listener has said it.
    case .sessionExpired: memory(of: session.server).remember(user: nil)
    default: break
    }
  }

  private func notice(_ user: User?, of server: ServerAddress) {
    let memory = memory(of: server)
    if let user, !user.isGuest {
      memory.remember(user: user.username)
    } else if let name = memory.user {
      memory.remember(user: nil)
      console.complain(
        "blastoise: the session of \(Printable.escaped(name)) at \(server) has expired; "
          + "going on as a guest (blastoise login signs in again)")
    }
  }

  /// What a failure means for the session: one that the server knows no more has ended, and is
  /// forgotten; without one it wants us to sign in, and what it forbids a guest it may allow a user.
  ///
  /// - Parameters:
  ///   - error: what was thrown.
  ///   - session: where.
  ///   - wasKnown: whether there was a session to begin with.
  /// - Returns: the error, or what has come of the session.
  func judged(
    _ error: any Error, on session: ServerSession, wasKnown: Bool
  ) async -> any Error {
    if [.login, .signup].contains(invocation.command) { return error }
    if let refusal = refusal(of: error, on: session) { return refusal }
    guard await hasEnded(error, session) else { return error }
    guard wasKnown else {
      // A listener says itself what refuses it.
      if error is ListeningEnd { return error }
      return Diagnostic(
        .signInNeeded, "\(session.server) wants you to sign in first",
        hint: "blastoise login signs in, signup makes an account")
    }
    let memory = memory(of: session.server)
    let user = memory.user
    memory.remember(user: nil)
    try? await session.forget(isWanted: false)
    return ListeningEnd.sessionExpired(of: user, at: session.server)
  }

  /// What is forbidden to somebody who has not signed in; nil for all else.
  private func refusal(of error: any Error, on session: ServerSession) -> Diagnostic? {
    guard memory(of: session.server).user == nil, !(error is ListeningEnd) else { return nil }
    let diagnostic = Diagnostic(describing: error)
    guard diagnostic.code == .forbidden else { return nil }
    var refusal = Diagnostic.guestRefused(diagnostic.what)
    refusal.why = diagnostic.why
    return refusal
  }

  private func hasEnded(_ error: any Error, _ session: ServerSession) async -> Bool {
    switch error {
    case RoomError.notSignedIn, ListeningEnd.refused(.notSignedIn), ListeningEnd.sessionExpired:
      return true
    case let error as Diagnostic where error.code == .signInNeeded:
      // It may have been refused for something else: to guests, say.
      do throws(RoomError) {
        _ = try await session.api.me()
        return false
      } catch {
        if case .notSignedIn = error { return true }
        return false
      }
    default: return false
    }
  }
}
