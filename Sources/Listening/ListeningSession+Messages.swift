import Platform
import RoomClient
import RoomProtocol
import RoomSync

extension ListeningSession {
  /// Takes one message of the socket.
  func take(_ received: ReceivedMessage) {
    switch received.message {
    case .state(let state): take(state, at: received.at)
    case .channelList(let list):
      channels = list.elements
      emit.yield(.channels(channels))
    case .switched(let channel):
      if let channel { switched(to: channel, at: received.at) }
    case .kick(let reason): perform(engine.handle(.kicked(reason: reason), at: received.at))
    case .toast(let message, let kind): emit.yield(.toast(message: message, kind: kind))
    case .scanProgress(let scanning, let processed, let total):
      emit.yield(.scan(scanning: scanning, processed: processed, total: total))
      if !scanning { wantLibrary(isChanged: true) }
    case .fetch(let update):
      emit.yield(.fetch(update))
      if update.bringsTracks { wantLibrary(isChanged: true) }
    case .error(let message): if !openInsteadOfSwitching() { emit.yield(.serverError(message)) }
    case .unknown(let type):
      meetStranger(type.map { "unknown message type \($0)" } ?? "unknown message")
    case .broken(let reason): meetStranger("unreadable message: \(reason)")
    }
  }

  /// Tells of a frame that says nothing to us, once a kind.
  private func meetStranger(_ description: String) {
    guard announced.strangers.count < 100,
      announced.strangers.insert(description).inserted
    else { return }
    emit.yield(.strangeFrame(description))
  }

  private func take(_ received: ReceivedState, at instant: ContinuousClock.Instant) {
    let state = received.state
    // Some may say that we were moved by the room's state alone.
    if let move, move.isSwitching, state.channelID == move.room.id {
      switched(to: move.room.id, at: instant)
    }
    guard let channel = engine.channel, state.channelID ?? channel == channel else { return }
    stateAt = instant
    endLocal()
    perform(engine.handle(.state(state), at: instant))
    wishes.removeAll { $0.isFulfilled(by: state, arrivedAt: instant) }
    announce(state)
    lookAhead()
    completeMove(to: channel)
    completeReturn()
    if let text = received.queueText {
      queueTexts.continuation.yield(ReceivedQueue(text: text, channel: channel))
    }
    if state.track != nil && !state.paused { playing.continuation.yield() }
  }

  private func announce(_ state: ChannelState) {
    if announced.track != state.track?.id || announced.state == nil {
      emit.yield(.track(state.track, index: state.currentIndex, .room))
      if let track = state.track, !track.available {
        emit.yield(.unplayable(track, .unavailable))
      }
    }
    announced.track = state.track?.id
    announced.state = state
    emit.yield(.state(state, .room))
  }

  /// Decodes queues, one after the other, off the actor; one with the bytes of the last is not
  /// decoded again.
  func decodeQueues() async {
    for await received in queueTexts.stream {
      if received == lastQueue { continue }
      lastQueue = received
      queueNumber += 1
      guard let list = try? await Self.decode(received.text) else {
        meetStranger("unreadable queue")
        continue
      }
      if list.droppedElements > 0 {
        meetStranger("\(list.droppedElements) unreadable rows of a queue")
      }
      perform(engine.handle(.queue(list.elements, of: received.channel), at: time.now()))
      lookAhead()
      guard received.channel == engine.channel else { continue }
      emit.yield(.queue(list.elements, currentIndex: engine.state?.currentIndex ?? 0))
    }
  }

  @concurrent private static func decode(_ text: QueueText) async throws -> TolerantList<Track> {
    try text.decode()
  }
}
