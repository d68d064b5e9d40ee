import Caching
import Listening
import RoomProtocol
import RoomServer
import TestSupport
import Testing

/// That a listener renews the library's listing beside the music.
@Suite(.timeLimit(.minutes(3))) struct LibraryKeptTests {
  @Test func `the listing comes after the first sound, and again after scans and imports`()
    async throws
  {
    let rig = try await ListenerRig([("a.flac", "audio/ruler.flac")])
    let listing = LibraryListing(folder: rig.folder.file("cache"), server: rig.server.baseURL)
    let gone = TrackID("sha256:" + String(repeating: "5", count: 64))
    try await rig.listen(change: { $0.libraryDelay = .milliseconds(30) }) { _ in
      try await kept(1, listing)
      try await eventually("kept playlists") { try await listing.shelf() != nil }
      let hasSounded = rig.events.contains { if case .started = $0 { true } else { false } }
      #expect(hasSounded)
      await rig.server.add([Track(id: gone, filename: "later.mp3", title: "Later")])
      // Nobody has said anything yet.
      #expect(try await listing.stamp()?.count == 1)
      await rig.server.broadcast(.scanProgress(scanning: true, processed: 1, total: 2))
      await rig.server.broadcast(.scanProgress(scanning: false, processed: 2, total: 2))
      try await kept(2, listing)
      #expect(try await listing.search("later").map(\.id) == [gone])
      await rig.server.add([Track(id: "another", filename: "another.mp3")])
      await rig.server.broadcast(.fetch(FetchUpdate(type: "fetch_complete")))
      try await kept(3, listing)
    }
    await rig.stop()
  }

  private func kept(_ count: Int, _ listing: LibraryListing) async throws {
    try await eventually("a listing of \(count)") {
      try await listing.stamp()?.count == count
    }
  }
}
