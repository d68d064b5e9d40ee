import RoomProtocol

/// Whether tracks that are to be cached fit; pure.
struct FillBudget: Equatable {
  /// Bytes that are still to come of the tracks whose size is known.
  var known: Int64
  /// The number of the others.
  var unknown: Int
  /// What they are to be cached in, at most.
  var room: Int64

  /// Counts what is still to come.
  ///
  /// - Parameters:
  ///   - ids: the tracks.
  ///   - sizes: in all, of those whose size is known.
  ///   - here: what is here of them.
  ///   - room: how much can be kept.
  init(_ ids: [TrackID], sizes: [TrackID: Int64], here: [TrackID: Int64], room: Int64) {
    (known, unknown, self.room) = (0, 0, room)
    for id in ids {
      guard let size = sizes[id] else {
        unknown += 1
        continue
      }
      let (sum, isOver) = known.addingReportingOverflow(max(0, size - (here[id] ?? 0)))
      known = isOver ? .max : sum
    }
  }

  /// The bytes that surely do not fit.
  var lacking: Int64 { max(0, known - max(0, room)) }
}
