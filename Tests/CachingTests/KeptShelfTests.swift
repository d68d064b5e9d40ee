import Caching
import RoomProtocol
import Storage
import TestSupport
import Testing

@Suite struct KeptShelfTests {
  private let folder: TemporaryFolder
  private let listing: LibraryListing
  private let clock = ManualClock()

  init() throws {
    folder = try TemporaryFolder()
    listing = LibraryListing(folder: folder.path, server: "http://a", now: clock.read)
  }

  private let evening = Playlist(
    id: "1", name: "Evening \u{1b}[2J", description: "late", ownerID: 7, ownerName: "ada",
    isPublic: true, trackIDs: ["b", "a", "b"], createdAt: 1, updatedAt: 2)

  @Test func `playlists come back as they were, in their order`() async throws {
    #expect(try await listing.shelf() == nil)
    clock.set(50)
    let shelf = PlaylistShelf(
      mine: [evening, Playlist(id: "9")], shared: [Playlist(id: "3"), evening])
    try await listing.keep(shelf)
    try await expect(shelf, readAt: 50)
    let other = LibraryListing(folder: folder.path, server: "http://b")
    #expect(try await other.shelf() == nil)
  }

  @Test func `a newer answer takes the place of the older one`() async throws {
    try await listing.keep(PlaylistShelf(mine: [evening, Playlist(id: "9")]))
    clock.set(60)
    try await listing.keep(PlaylistShelf(shared: [Playlist(id: "9")]))
    try await expect(PlaylistShelf(shared: [Playlist(id: "9")]), readAt: 60)
    try await listing.keep(PlaylistShelf())
    #expect(try await listing.shelf()?.shelf == PlaylistShelf())
    try await listing.forgetShelf()
    #expect(try await listing.shelf() == nil)
  }

  @Test func `a playlist read by itself is kept where it is known`() async throws {
    try await listing.keep(PlaylistShelf(mine: [evening]))
    clock.set(70)
    var later = evening
    later.trackIDs = ["c"]
    try await listing.keep(later)
    try await listing.keep(Playlist(id: "stranger"))
    try await expect(PlaylistShelf(mine: [later]), readAt: 0)
  }

  @Test func `a list that names no tracks leaves those of the same state`() async throws {
    try await listing.keep(PlaylistShelf(mine: [evening]))
    var short = evening
    short.trackIDs = []
    try await listing.keep(PlaylistShelf(mine: [short]))
    #expect(try await listing.shelf()?.shelf.mine.elements == [evening])
    short.updatedAt = 3
    try await listing.keep(PlaylistShelf(mine: [short]))
    #expect(try await listing.shelf()?.shelf.mine.elements == [short])
  }

  @Test func `no share token reaches the disk`() async throws {
    var shared = evening
    shared.shareToken = "opens-sesame"
    try await listing.keep(PlaylistShelf(mine: [shared]))
    #expect(try await listing.shelf()?.shelf.mine.elements.first?.shareToken == "")
    for name in try Folder.names(in: folder.file("libraries")) {
      let bytes = try Fixture.bytes(at: folder.file("libraries/\(name)"))
      #expect(!String(decoding: bytes, as: UTF8.self).contains("sesame"))
    }
  }

  @Test func `a refresh under way is not waited for`() async throws {
    try await listing.keep(PlaylistShelf(mine: [evening]))
    let lock = try FileLock(ifFree: try lockPath())
    try await listing.keep(PlaylistShelf())
    #expect(try await listing.shelf()?.shelf.mine.elements == [evening])
    withExtendedLifetime(lock) {}
  }

  private func expect(_ shelf: PlaylistShelf, readAt time: Double) async throws {
    #expect(try await listing.shelf()?.shelf == shelf)
    #expect(try await listing.shelf()?.read == time)
  }

  private func lockPath() throws -> String {
    let names = try Folder.names(in: folder.file("libraries")).filter { $0.hasSuffix(".lock") }
    return folder.file("libraries/\(try #require(names.first))")
  }
}
