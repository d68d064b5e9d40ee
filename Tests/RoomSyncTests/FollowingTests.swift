import RoomProtocol
import RoomSync
import Testing

@Suite struct FollowingTests {
  @Test(
    arguments: [
      ("once", 0, "b"), ("once", 2, nil), ("repeat-all", 2, "a"), ("repeat-one", 1, "b"),
      ("shuffle", 0, nil), ("new-fangled", 0, nil), ("repeat-all", 7, nil), ("once", -1, nil),
    ] as [(String, Int, String?)])
  func `the next track is told where it is certain`(mode: String, index: Int, next: String?) {
    let queue = ["a", "b", "c"].map { Track(id: TrackID($0)) }
    let state = ChannelState(
      track: queue[0], currentIndex: index, playbackMode: PlaybackMode(mode))
    #expect(state.following(in: queue)?.id.rawValue == next)
  }
}
