import Glibc
import RoomServer
import Storage
import TestSupport
import Testing

extension CacheEncounters {
  /// What somebody has put into the cache's folder, or done to its files, harms nothing.
  @Suite(.timeLimit(.minutes(2))) struct CachePlantedTests {
    /// Where a symbolic link is put, and what it leads to.
    enum Place: String, CaseIterable, Sendable {
      case track, part, map, tracksFolder, partsFolder, index
    }

    @Test(arguments: Place.allCases)
    func `nothing is written or removed through a planted link`(place: Place) async throws {
      let items = TrackSource.made(3, seed: 21)
      let source = try TrackSource(items)
      let rig = try CacheRig(source)
      #expect(try await rig.run(["cache", "add", items[2].id]).status == 0)
      mkdir(rig.home.file("elsewhere"), 0o700)
      let keepsake = try rig.home.write("elsewhere/keepsake", Array("keep me".utf8))
      let key = ContentHash.digest(of: Array("\(source.url)\0\(items[0].id)".utf8)).hex
      let folder = rig.folder
      switch place {
      case .track: symlink(keepsake, "\(folder)/tracks/\(items[0].digest)")
      case .part: symlink(keepsake, "\(folder)/parts/\(key).part")
      case .map: symlink(keepsake, "\(folder)/parts/\(key).map")
      case .tracksFolder, .partsFolder:
        let name = place == .tracksFolder ? "tracks" : "parts"
        rename("\(folder)/\(name)", rig.home.file("old-\(name)"))
        symlink(rig.home.file("elsewhere"), "\(folder)/\(name)")
      case .index:
        for suffix in ["", "-wal", "-shm"] { unlink("\(folder)/index.db\(suffix)") }
        symlink(keepsake, "\(folder)/index.db")
      }
      for words in [
        ["add", "--retry", "0", items[0].id, items[1].id], ["prune"], ["verify"],
        ["remove", "--yes", items[0].id], ["prune", "--max", "0"],
      ] {
        let outcome = try await rig.run(["cache"] + words)
        print("\(place), \(words[0]): \(outcome.status ?? -1) \(outcome.errors)")
        #expect(outcome.status != nil && outcome.status != 70, "\(words): \(outcome)")
      }
      #expect(try Fixture.bytes(at: keepsake) == Array("keep me".utf8))
      source.stop()
    }

    @Test func `what is not the cache's own stays where it is`() async throws {
      let items = TrackSource.made(2, seed: 22)
      let source = try TrackSource(items)
      let rig = try CacheRig(source)
      #expect(try await rig.run(["cache", "add", items[0].id]).status == 0)
      let kept = ["tracks/notes.txt", "parts/README", "tracks/.nfs0001"].map {
        "\(rig.folder)/\($0)"
      }
      for path in kept { try Music.write([1, 2, 3], to: path) }
      #expect(try await rig.run(["cache", "prune", "--max", "0"]).status == 0)
      #expect(kept.allSatisfy { access($0, F_OK) == 0 })
      source.stop()
    }

    @Test func `an entry that was cut or damaged is had anew`() async throws {
      let items = TrackSource.made(3, seed: 23)
      let source = try TrackSource(items)
      let rig = try CacheRig(source)
      let ids = items.map(\.id)
      #expect(try await rig.run(["cache", "add"] + ids).status == 0)
      // One is cut, one has a bit turned, one is gone.
      truncate("\(rig.folder)/tracks/\(items[0].digest)", 1000)
      var bytes = items[1].bytes
      bytes[bytes.count / 2] ^= 4
      try Music.write(bytes, to: "\(rig.folder)/tracks/\(items[1].digest)")
      unlink("\(rig.folder)/tracks/\(items[2].digest)")
      let verify = try await rig.run(["cache", "verify"])
      print(verify.output, verify.errors)
      #expect(verify.status == 65, "\(verify)")
      let again = try await rig.run(["cache", "add"] + ids)
      #expect(again.status == 0, "\(again)")
      #expect(try await rig.run(["cache", "verify"]).status == 0)
      #expect(try rig.audit().faults(against: items).isEmpty)
      #expect(try rig.held() == Set(ids))
      // The same by one command.
      try Music.write(bytes, to: "\(rig.folder)/tracks/\(items[1].digest)")
      let refetched = try await rig.run(["cache", "verify", "--refetch"])
      #expect(try await rig.run(["cache", "verify"]).status == 0, "\(refetched)")
      #expect(try rig.audit().faults(against: items).isEmpty)
      source.stop()
    }

    @Test func `a file with a bit turned is not played`() async throws {
      let room = try await Room([("a.flac", "audio/ruler.flac")])
      let home = try TemporaryFolder()
      let words = room.listen("--for", "1", "--json")
      #expect(try await Program.run(words, home: home).status == 0)
      let tracks = home.file("cache/blastoise/tracks")
      try await eventually("it is kept") { try Folder.names(in: tracks).count == 1 }
      let file = "\(tracks)/\(try Folder.names(in: tracks)[0])"
      var bytes = try Fixture.bytes(at: file)
      let truth = bytes
      bytes[bytes.count / 2] ^= 0x55
      try Music.write(bytes, to: file)
      let program = try Program(room.listen("--json"), home: home)
      try await program.playsOn("damaged")
      try await eventually("it is had anew") { (try? Fixture.bytes(at: file)) == truth }
      await room.stop()
    }

    @Test func `the folder is its owner's alone, whatever the umask`() async throws {
      let items = TrackSource.made(1, seed: 24)
      let source = try TrackSource(items)
      let rig = try CacheRig(source)
      let program = try Program(
        ["-c", "umask 000; exec \"$0\" cache add \"$1\"", Program.path, items[0].id],
        home: rig.home, variables: rig.variables, program: "/bin/sh")
      #expect(try await program.end().status == 0)
      for name in ["", "/tracks", "/parts"] {
        #expect(permissions(of: rig.folder + name) == 0o700, "\(name)")
      }
      for name in try Folder.names(in: rig.folder) where name.contains(".") {
        #expect(permissions(of: "\(rig.folder)/\(name)") == 0o600, "\(name)")
      }
      #expect(permissions(of: "\(rig.folder)/tracks/\(items[0].digest)") == 0o600)
      source.stop()
    }

    @Test func `a cache has a limit before anybody sets one`() async throws {
      let source = try TrackSource(TrackSource.made(1, seed: 25))
      var rig = try CacheRig(source)
      rig.variables = ["BLASTOISE_SERVER": source.url]
      let stats = try await rig.run(["cache", "stats", "--json"])
      #expect(stats.status == 0, "\(stats)")
      let line = try #require(try JSONLine.lines(of: stats.output).first)
      #expect(line["limit"]?.number == 4_000_000_000, "\(stats.output)")
      source.stop()
    }

    @Test func `clearing the cache keeps the login`() async throws {
      let room = try await Room.ruler()
      try await room.server.createUser("ada", password: "secret")
      let home = try TemporaryFolder()
      func run(_ words: String...) async throws -> Program.Outcome {
        try await Program.run(
          words + ["--server", room.url], home: home, variables: ["BLASTOISE_PASSWORD": "secret"])
      }
      #expect(try await run("login", "ada").status == 0)
      #expect(try await run("cache", "add", "--library").status == 0)
      #expect(try await run("cache", "prune", "--max", "0").status == 0)
      #expect(try await run("whoami").output.contains("ada"))
      let removing = try Program(["-rf", home.file("cache")], home: home, program: "/bin/rm")
      #expect(try await removing.end().status == 0)
      #expect(try await run("whoami").output.contains("ada"))
      await room.stop()
    }
  }
}
