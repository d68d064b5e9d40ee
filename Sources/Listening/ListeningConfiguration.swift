package import Caching
package import Playback
package import RoomProtocol
package import RoomSync

/// What a listener is started with.
package struct ListeningConfiguration: Sendable {
  /// The room by id, name or a beginning of either; nil takes the last one or the server's default.
  package var room: String?
  /// The room that was joined last, taken where no other is asked for and it is still there.
  package var lastRoom: ChannelID?
  /// What is played in the place of a room, to begin with.
  package var library: LocalQueue?
  /// Makes the sink, on the thread that is to own it.
  package var makeSink: @Sendable () -> any AudioSink
  /// How the player plays.
  package var player = PlayerSettings()
  /// How drift is judged.
  package var policy = DriftPolicy.tight
  /// The volume, 0...100.
  package var volume = 100
  /// Whether the server's ReplayGain values are applied.
  package var appliesReplayGain = false
  /// Whether a dead server is waited for.
  package var waitsForServer = true
  /// Whether a missing or lost device is waited for.
  package var waitsForDevice = true
  /// How long after a connect or a change the library's listing is asked for, at the earliest.
  package var libraryDelay = Duration.seconds(2)
  /// The folder of the track cache.
  package var cacheFolder: String
  /// How much of the disk tracks may take.
  package var cacheLimits = CacheLimits.standard

  /// Makes a configuration with the usual values.
  ///
  /// - Parameters:
  ///   - cacheFolder: where tracks are kept.
  ///   - makeSink: makes the sink.
  package init(cacheFolder: String, makeSink: @escaping @Sendable () -> any AudioSink) {
    self.cacheFolder = cacheFolder
    self.makeSink = makeSink
  }
}
