import Glibc
import RoomProtocol
import Storage
import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct ListingMemoryTests {
  @Test func `a listing counts for ten minutes, for its room alone`() throws {
    let folder = try TemporaryFolder()
    func memory(_ server: String, _ channel: String) -> ListingMemory {
      ListingMemory(folder: folder.file("state"), server: server, channel: .init(channel))
    }
    let lobby = memory("http://a", "lobby")
    #expect(lobby.recall(now: 1000) == nil)
    lobby.remember("4f2a", now: 1000)
    #expect(lobby.recall(now: 1000) == "4f2a")
    #expect(lobby.recall(now: 1599) == "4f2a")
    #expect(lobby.recall(now: 1600) == nil)
    // A clock that was set back.
    #expect(lobby.recall(now: 999) == nil)
    #expect(memory("http://a", "attic").recall(now: 1000) == nil)
    #expect(memory("http://b", "lobby").recall(now: 1000) == nil)
    lobby.remember("0001", now: 1100)
    #expect(lobby.recall(now: 1100) == "0001")
  }

  @Test func `the file is its owner's alone, and rubbish in it is no listing`() throws {
    let folder = try TemporaryFolder()
    let lobby = ListingMemory(folder: folder.path, server: "x", channel: "lobby")
    lobby.remember("4f2a", now: 1)
    let listings = folder.file("listings")
    let name = try #require(try Folder.names(in: listings).first)
    #expect(permissions(of: "\(listings)/\(name)") == 0o600)
    for rubbish in ["", "4f2a", "4f2a one", "a b c", String(repeating: "x", count: 5000)] {
      let file = try #require(fopen("\(listings)/\(name)", "w"))
      fputs(rubbish, file)
      fclose(file)
      #expect(lobby.recall(now: 1) == nil, "\(rubbish.prefix(10))")
    }
  }

  @Test func `without a folder nothing is remembered, and nothing fails`() {
    let nowhere = ListingMemory(folder: "/proc/nowhere", server: "x", channel: "lobby")
    nowhere.remember("4f2a", now: 1)
    #expect(nowhere.recall(now: 1) == nil)
  }
}
