/// What a player is built with.
package struct PlayerSettings: Sendable {
  /// The wished rate of the device in Hz; the device may settle on another.
  package var rate = 44100
  /// How much sound the device may hold.
  package var buffer = Duration.milliseconds(200)
  /// After how long without sound the device is given back; nil keeps it.
  package var releaseAfter: Duration? = .seconds(10)
  /// Whether sound that is heard at the wrong moment is put right by a splice; without it only what
  /// the caller moves is moved.
  package var landsExactly = true
  /// The pauses between tries to get a device, the last one repeated.
  package var retries: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]

  package init() {}
}
