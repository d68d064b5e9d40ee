import RoomProtocol

/// A channel: its queue, its clock, and the states it tells.
///
/// Threading: service thread only.
final class Channel {
  let id: ChannelID
  var name: String
  var description: String
  let isDefault: Bool
  let createdBy: Int?
  var mode: PlaybackMode
  private(set) var queue: ChannelQueue
  private(set) var clock: ChannelClock

  private let library: Library
  private var queueText: [UInt8]?

  init(
    _ stored: StoredChannel, library: Library, now: Int64
  ) {
    id = stored.id
    name = stored.name
    description = stored.description
    isDefault = stored.isDefault
    createdBy = stored.createdBy
    mode = stored.mode
    queue = ChannelQueue(tracks: stored.tracks, currentIndex: stored.currentIndex)
    clock = ChannelClock(position: stored.position, isPaused: stored.isPaused, now: now)
    self.library = library
  }

  /// The length of the playing track in milliseconds, nil where it is unknown.
  var duration: Int64? { library.duration(of: queue.current) }

  /// What is kept of the channel between two runs of the server.
  func stored(at now: Int64) -> StoredChannel {
    StoredChannel(
      id: id, name: name, description: description, isDefault: isDefault, createdBy: createdBy,
      mode: mode, tracks: queue.tracks, currentIndex: queue.currentIndex,
      isPaused: clock.isPaused, position: max(0, clock.position(at: now)))
  }

  // MARK: Control

  /// Pauses or plays on.
  ///
  /// - Returns: false where nothing changed.
  func setPaused(_ pauses: Bool, at now: Int64) -> Bool {
    guard pauses != clock.isPaused else { return false }
    if pauses { clock.pause(duration: duration, at: now) } else { clock.unpause(at: now) }
    return true
  }

  /// Goes to a position, in milliseconds, clamped to the track.
  func seek(to position: Int64, at now: Int64) {
    clock.seek(to: position, duration: duration, at: now)
  }

  /// Starts a row, the nearest one where there is none of that index.
  func jump(to index: Int, at now: Int64) {
    queue.jump(to: index)
    clock.restart(at: now)
  }

  /// Applies an edit whole or not at all.
  ///
  /// - Throws: `ChannelQueue.Refusal`.
  func edit(_ edit: QueueEdit, at now: Int64) throws(ChannelQueue.Refusal) {
    let effect = try queue.apply(edit) { library.has($0) }
    queueText = nil
    if effect == .startsOther { clock.restart(at: now) }
  }

  /// Goes on where the track has ended.
  ///
  /// - Returns: whether anything changed.
  func advance(
    at now: Int64, using generator: inout some RandomNumberGenerator
  ) -> Bool {
    guard queue.current != nil, clock.hasEnded(duration: duration, at: now) else { return false }
    switch mode.end(of: queue.currentIndex, count: queue.tracks.count, using: &generator) {
    case .starts(let index): jump(to: index, at: now)
    case .pauses: clock.pause(duration: duration, at: now)
    }
    return true
  }

  /// Follows the library: what is gone from it leaves the queue, what is new comes to its end.
  ///
  /// - Returns: whether anything changed.
  func follow(new: [TrackID], at now: Int64) -> Bool {
    let gone = queue.tracks.indices.filter { !library.has(queue.tracks[$0]) }
    let known = Set(queue.tracks)
    let added = new.filter { !known.contains($0) }
    guard !gone.isEmpty || !added.isEmpty else { return false }
    // Positions and ids were just made from the queue and the library: they can't be refused.
    try? edit(.remove(gone), at: now)
    try? edit(.add(added), at: now)
    return true
  }

  /// Forgets the encoded queue, when a track's description changed.
  func forgetEncoding() { queueText = nil }

  // MARK: States

  /// The state without its queue.
  func state(at now: Int64, listeners: [String]) -> ChannelState {
    ChannelState(
      track: queue.current.map { library.track($0) },
      currentTimestamp: Double(queue.current == nil ? 0 : clock.position(at: now)) / 1000,
      channelName: name, channelID: id, description: description, paused: clock.isPaused,
      currentIndex: queue.currentIndex, listenerCount: listeners.count, isDefault: isDefault,
      playbackMode: mode, listeners: listeners)
  }

  /// The state as JSON, with or without its queue, which is encoded once for all.
  ///
  /// The clock is looked at last: a large queue takes its time, and the state is to be of the moment
  /// in which it leaves.
  func encodedState(
    at now: @autoclosure () -> Int64, listeners: [String], withQueue: Bool
  ) -> [UInt8] {
    if withQueue, queueText == nil { queueText = library.encode(queue.tracks) }
    // A state is texts and finite numbers: encoding it can't fail.
    var text = (try? WireJSON.encode(state(at: now(), listeners: listeners))) ?? []
    guard withQueue, let queueText, text.popLast() != nil else { return text }
    text.reserveCapacity(text.count + queueText.count + 16)
    text += Array(#","queue":"#.utf8)
    text += queueText
    text.append(UInt8(ascii: "}"))
    return text
  }

  /// The channel's entry in the list of channels.
  func info(listeners: [String]) -> ChannelInfo {
    ChannelInfo(
      id: id, name: name, description: description, trackCount: queue.tracks.count,
      listenerCount: listeners.count, listeners: listeners, isDefault: isDefault,
      createdBy: createdBy)
  }
}
