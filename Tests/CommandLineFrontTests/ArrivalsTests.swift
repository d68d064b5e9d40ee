import RoomProtocol
import Testing

@testable import CommandLineFront

@Suite struct ArrivalsTests {
  private static let library = [
    Track(id: "old", filename: "Song.mp3", title: "Song", artist: "Ada"),
    Track(id: "n1", filename: "Harbour [x].mp3", title: "Harbour", artist: "The Anchors"),
    Track(id: "n2", filename: "Night Ferry.mp3"),
    Track(id: "n3", filename: "other.mp3", title: "Other"),
  ]

  private func item(
    _ title: String, _ end: ImportWatch.End = .done, track: TrackID? = nil
  ) -> ImportWatch.Item {
    var watch = ImportWatch([ImportWatch.Item(id: "1", title: title)])
    let status = end == .done ? "done" : "error"
    _ = watch.take([FetchJob(id: "1", status: status, trackID: track)])
    return watch.items[0]
  }

  private func found(_ items: [ImportWatch.Item], earlier: Set<TrackID> = ["old"]) -> [Int: String]
  {
    Arrivals(earlier: earlier, now: Self.library).found(items).mapValues(\.id.rawValue)
  }

  @Test func `what the server tells goes first`() {
    #expect(found([item("whatever", track: "n3")]) == [0: "n3"])
    // An id that the library does not have is no track.
    #expect(found([item("whatever", track: "gone"), item("Harbour")]) == [1: "n1"])
  }

  @Test func `new tracks are known by title, by file, by part of a title`() {
    #expect(
      found([item("night ferry"), item("The Anchors - Harbour"), item("Other (official video)")])
        == [0: "n2", 1: "n1", 2: "n3"])
  }

  @Test func `the last new one is the last import`() {
    let items = [item("http://songs.test/x"), item("Harbour"), item("Night Ferry")]
    #expect(found(items) == [0: "n3", 1: "n1", 2: "n2"])
  }

  @Test func `one that was there before is found by its title alone`() {
    #expect(found([item("Song")], earlier: ["old", "n1", "n2", "n3"]) == [0: "old"])
    #expect(found([item("Unheard")], earlier: ["old", "n1", "n2", "n3"]).isEmpty)
  }

  @Test func `where several fit none is taken`() {
    #expect(found([item("http://a"), item("http://b")]).isEmpty)
  }
}
