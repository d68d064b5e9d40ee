import RoomProtocol

/// The library as it grows, and the default channel that follows it.
extension RoomHost {
  /// Makes what is known the library, and tells everyone.
  func publishLibrary() {
    let before = Set(library.tracks)
    library.replace(folderEntries + addedEntries)
    let new = library.tracks.filter { !before.contains($0) }
    for channel in channels {
      channel.forgetEncoding()
      guard channel.isDefault, channel.follow(new: new, at: now) else { continue }
      changed(channel)
      sendState(of: channel, withQueue: true)
    }
    channelListChanged()
  }

  /// Calls back when the library is complete: at once, or after the scan that runs.
  func whenScanned(_ action: @escaping () -> Void) {
    if isScanning { scanWaiters.append(action) } else { action() }
  }
}
