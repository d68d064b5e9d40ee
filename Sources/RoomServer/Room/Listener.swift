import RoomProtocol
import Transport

/// A WebSocket, whose it is and which channel it listens to.
struct Listener {
  var socket: AcceptedSocket
  var session: Session
  var channel: ChannelID
}

extension RoomHost {
  /// The names of those who listen to a channel, each once, sorted.
  func names(in channel: Channel) -> [String] {
    Set(listeners.values.filter { $0.channel == channel.id }.map(\.session.listenerName)).sorted()
  }

  /// Sends a channel's state to all its listeners.
  func sendState(of channel: Channel, withQueue: Bool) {
    let audience = listeners.values.filter { $0.channel == channel.id }
    guard !audience.isEmpty else { return }
    let frame = stateFrame(of: channel, withQueue: withQueue)
    for listener in audience { deliver(frame, to: listener.socket) }
  }

  /// Sends a channel's state with its queue to one listener.
  func sendFirstState(of channel: Channel, to socket: AcceptedSocket) {
    deliver(stateFrame(of: channel, withQueue: true), to: socket)
  }

  private func stateFrame(of channel: Channel, withQueue: Bool) -> TextFrame {
    TextFrame(
      channel.encodedState(
        at: now, listeners: names(in: channel), withQueue: withQueue && !faults.omitsQueue))
  }

  private func deliver(_ frame: TextFrame, to socket: AcceptedSocket) {
    guard let delay = faults.stateDelay else { return socket.send(frame) }
    webServer.timers.schedule(after: delay) { [weak socket] in socket?.send(frame) }
  }

  /// Sends a message to all listeners, or to those of one channel.
  func broadcast(_ message: ServerMessage, to channel: Channel? = nil) {
    let frame = frame(of: message)
    for listener in listeners.values where channel == nil || listener.channel == channel?.id {
      listener.socket.send(frame)
    }
  }

  /// A message as it goes over the line.
  func frame(of message: ServerMessage) -> TextFrame {
    // Only messages no server sends can't be encoded.
    TextFrame((try? WireJSON.encode(message)) ?? [])
  }

  /// Sends everyone the list of channels, soon: one message for a burst of changes.
  func channelListChanged() {
    guard !isChannelListDue else { return }
    isChannelListDue = true
    webServer.timers.schedule(after: .milliseconds(100)) { [weak self] in
      guard let self else { return }
      isChannelListDue = false
      broadcast(.channelList(TolerantList(channelInfos)))
    }
  }

  /// The list of channels.
  var channelInfos: [ChannelInfo] { channels.map { $0.info(listeners: names(in: $0)) } }
}
