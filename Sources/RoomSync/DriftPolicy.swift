/// How far what is heard may be from the room, and how long it may take.
package struct DriftPolicy: Hashable, Sendable {
  /// The drift from which on a seek is made, inclusive; below it there is never one.
  package var threshold: Duration = .seconds(2)
  /// How long after the start of a load or seek the drift is left alone.
  package var settle: Duration = .seconds(1)
  /// What the device adds after the sound system's own delay.
  ///
  /// The engine takes it off what the player says is heard, and hands out timelines that are ahead
  /// by it: the player must not count it again.
  package var outputLatency: Duration = .zero
  /// Whether a drift below the threshold is closed without a seek, by rate.
  package var correctsRate: Bool

  /// What the published clients do: nothing below the threshold.
  package static let reference = DriftPolicy(correctsRate: false)
  /// In time to the millisecond.
  package static let tight = DriftPolicy(correctsRate: true)
}
