import Glibc
import Storage
import Synchronization
import TestSupport
import Testing

extension CacheEncounters {
  /// `cache add` from a server that lies, breaks off, changes its mind or means harm: each track is
  /// had as the server truly has it, or not at all, and said.
  @Suite(.timeLimit(.minutes(2))) struct CacheHostileTests {
    /// What a lying server does with the requests for its one track; 0 is the first.
    struct Lie: Sendable, CustomTestStringConvertible {
      var name: String
      /// Whether the track is to be had in the end all the same; nil: either will do.
      var isHad: Bool?
      var script: TrackSource.Script

      var testDescription: String { name }

      /// Sends the beginning with a length that promises more, then something else.
      static func resumed(
        _ name: String, isHad: Bool? = nil, mark: Bool = true,
        _ then: @escaping TrackSource.Script
      ) -> Lie {
        Lie(name: name, isHad: isHad) { request, source, connection in
          guard request.number == 0 else { return then(request, source, connection) }
          let head =
            ["Content-Length: \(request.item.bytes.count)"]
            + (mark ? ["ETag: \(request.item.mark)"] : [])
          connection.write("HTTP/1.1 200 OK\r\n" + head.joined(separator: "\r\n") + "\r\n\r\n")
          source.write(request.item, 0..<200_000, connection)
          return true
        }
      }

      /// Answers with a head and a range of the track, then closes.
      static func answers(
        _ head: String, _ range: @escaping @Sendable (TrackSource.Request) -> Range<Int>
      ) -> TrackSource.Script {
        { request, source, connection in
          let range = range(request)
          let text = head.replacing("{start}", with: "\(request.start ?? 0)")
            .replacing("{last}", with: "\(request.item.bytes.count - 1)")
            .replacing("{size}", with: "\(request.item.bytes.count)")
          connection.write(text + "\r\nConnection: close\r\n\r\n")
          source.write(request.item, range, connection)
          return true
        }
      }
    }

    static let lies = [
      Lie(
        name: "2^63 bytes promised", isHad: nil,
        script: Lie.answers(
          "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808"
        ) { _ in 0..<100_000 }),
      Lie(
        name: "2^63 - 1 bytes promised", isHad: false,
        script: Lie.answers(
          "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807"
        ) { _ in 0..<100_000 }),
      Lie(
        name: "2^64 + 10 bytes promised", isHad: nil,
        script: Lie.answers(
          "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551626"
        ) { _ in 0..<100_000 }),
      Lie(
        name: "minus five bytes promised", isHad: nil,
        script: Lie.answers(
          "HTTP/1.1 200 OK\r\nContent-Length: -5"
        ) { _ in 0..<100_000 }),
      Lie(
        name: "always cut short", isHad: false,
        script: Lie.answers(
          "HTTP/1.1 200 OK\r\nContent-Length: {size}"
        ) { _ in 0..<100_000 }),
      Lie(
        name: "longer than promised", isHad: nil,
        script: Lie.answers(
          "HTTP/1.1 200 OK\r\nContent-Length: 100000"
        ) { 0..<$0.item.bytes.count }),
      Lie(
        name: "a part where all was asked for", isHad: nil,
        script: Lie.answers(
          "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1000-{last}/{size}"
        ) {
          1000..<$0.item.bytes.count
        }),
      Lie(
        name: "no byte at all", isHad: nil,
        script: Lie.answers(
          "HTTP/1.1 200 OK\r\nContent-Length: 0"
        ) { _ in 0..<0 }),
      .resumed("cut once", isHad: true) { _, _, _ in false },
      .resumed("cut once, without a mark", isHad: true, mark: false) { _, _, _ in false },
      .resumed(
        "resumed with all of it", isHad: true,
        Lie.answers(
          "HTTP/1.1 200 OK\r\nContent-Length: {size}"
        ) { 0..<$0.item.bytes.count }),
      .resumed(
        "resumed with a range that is not the one sent",
        Lie.answers(
          "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-{last}/{size}"
        ) {
          ($0.start ?? 0)..<$0.item.bytes.count
        }),
      .resumed(
        "resumed with another range than asked for",
        Lie.answers(
          "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 300000-{last}/{size}"
        ) {
          300_000..<$0.item.bytes.count
        }),
      .resumed(
        "resumed with another range in secret, without a mark", mark: false,
        Lie.answers(
          "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{last}/{size}"
        ) {
          max(0, ($0.start ?? 0) - 1)..<($0.item.bytes.count - 1)
        }),
      .resumed(
        "resumed without a word of the range",
        Lie.answers(
          "HTTP/1.1 206 Partial Content\r\nX-Range: none"
        ) {
          ($0.start ?? 0)..<$0.item.bytes.count
        }),
      .resumed(
        "resumed with garbage for a range",
        Lie.answers(
          "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 99999999999999999999-5/-7"
        ) {
          ($0.start ?? 0)..<$0.item.bytes.count
        }),
      .resumed(
        "resumed with another length of the whole",
        Lie.answers(
          "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{last}/999999999"
        ) {
          ($0.start ?? 0)..<$0.item.bytes.count
        }),
      .resumed("416 once", isHad: true) { request, _, connection in
        guard request.number == 1 else { return false }
        connection.answer("416 Range Not Satisfiable", ["Content-Range: bytes */10"])
        return true
      },
      .resumed("416 to every range", isHad: nil) { request, _, connection in
        guard request.start != nil else { return false }
        connection.answer("416 Range Not Satisfiable")
        return true
      },
      .resumed("redirected to itself for ever", isHad: false) { request, _, connection in
        connection.answer("302 Found", ["Location: /api/tracks/\(request.item.id)"])
        return true
      },
    ]

    @Test(arguments: lies) func `a lie costs the track, or nothing`(lie: Lie) async throws {
      let items = TrackSource.made(2, seed: 11, sizes: 400_000...500_000)
      let source = try TrackSource(items) { request, source, connection in
        request.item.id == items[0].id && lie.script(request, source, connection)
      }
      let rig = try CacheRig(source, limit: 20_000_000)
      let outcome = try await rig.run(
        ["cache", "add", "--json", "--retry", "1"] + items.map(\.id))
      print(
        "\(lie.name): \(outcome.status ?? -1) \(outcome.errors.split(separator: "\n").last ?? "")")
      let held = try rig.held()
      #expect(held.contains(items[1].id), "the other one suffers: \(outcome)")
      #expect((outcome.status == 0) == held.contains(items[0].id), "\(outcome)")
      #expect(outcome.status != nil && outcome.status != 70, "\(outcome)")
      if let isHad = lie.isHad { #expect(held.contains(items[0].id) == isHad, "\(outcome)") }
      #expect(try await rig.run(["cache", "prune"]).status == 0)
      let faults = try rig.audit().faults(against: items)
      // Where a lie holds together, what it says is the track.
      if lie.isHad != nil || lie.name.contains("resumed") {
        #expect(faults.isEmpty, "\(faults)")
      }
      #expect(CacheAudit.room(of: rig.folder) < 2_000_000)
      source.stop()
    }

    @Test func `a file that changes in between is had as it is now`() async throws {
      let old = TrackSource.made(1, seed: 12, sizes: 450_000...450_000)[0]
      let bytes = Array(old.bytes.prefix(100_000)) + TrackSource.made(1, seed: 13)[0].bytes
      let new = TrackSource.Item("new", bytes: bytes)
      #expect(new.id == old.id && new.digest != old.digest)
      for keepsPromise in [true, false] {
        let source = try TrackSource([new]) { request, source, connection in
          if request.number == 0 {
            connection.write(
              "HTTP/1.1 200 OK\r\nContent-Length: \(old.bytes.count)\r\nETag: \(old.mark)\r\n\r\n")
            source.write(old, 0..<200_000, connection)
            return true
          }
          // Heeds If-Range and sends all; or sends a part of the new one as if nothing were.
          guard !keepsPromise, let start = request.start, start < bytes.count else { return false }
          connection.write(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
              + "Content-Length: \(bytes.count - start)\r\nETag: \(new.mark)\r\n\r\n")
          source.write(new, start..<bytes.count, connection)
          return true
        }
        let rig = try CacheRig(source)
        let outcome = try await rig.run(["cache", "add", "--json", "--retry", "2", new.id])
        let held = try rig.audit()
        #expect((outcome.status == 0) == !held.rows.isEmpty, "\(outcome)")
        if keepsPromise { #expect(outcome.status == 0, "\(outcome)") }
        #expect(
          held.rows.allSatisfy { $0.digest == new.digest }, "two files were mixed: \(outcome)")
        source.stop()
      }
    }

    @Test func `a body without an end is given up at the limit, and that is said`() async throws {
      let items = TrackSource.made(2, seed: 14, sizes: 300_000...300_000)
      let sent = Mutex(0)
      let source = try TrackSource(items) { request, source, connection in
        guard request.item.id == items[0].id else { return false }
        connection.write("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n")
        while source.write(request.item, 0..<300_000, connection) {
          sent.withLock { $0 += 300_000 }
          if sent.withLock({ $0 }) > 400_000_000 { return true }
        }
        return true
      }
      let limit = 20_000_000
      let rig = try CacheRig(source, limit: limit)
      let outcome = try await rig.run(["cache", "add", "--json", "--retry", "0"] + items.map(\.id))
      print("\(sent.withLock { $0 }) bytes: \(outcome.status ?? -1) \(outcome.errors)")
      #expect(outcome.status != 0 && outcome.status != nil && outcome.status != 70)
      #expect(sent.withLock { $0 } < limit * 2)
      #expect(try rig.held() == [items[1].id])
      #expect(CacheAudit.room(of: rig.folder) <= limit)
      #expect(outcome.errors.contains("room") || outcome.output.contains("room"), "\(outcome)")
      source.stop()
    }

    @Test func `names that mean harm name nothing`() async throws {
      let seed = TrackSource.made(9, seed: 15, sizes: 1000...3000)
      let names = [
        "../../../escape", "/etc/escape", "..", ".", "a/b/c", "nul\u{0}nul", "line\nbreak\r\nX: y",
        String(repeating: "long", count: 2560), "index.db",
      ]
      let items = zip(names, seed).map { TrackSource.Item($1.title, bytes: $1.bytes, id: $0) }
      let source = try TrackSource(items)
      let rig = try CacheRig(source)
      let outcome = try await rig.run(["cache", "add", "--library", "--json", "--retry", "0"])
      print("\(outcome.status ?? -1) \(outcome.errors)")
      #expect(outcome.status != nil && outcome.status != 70)
      let audit = try rig.audit()
      #expect(audit.faults(against: items).isEmpty, "\(audit.faults(against: items))")
      // `.` and `..` are no names in a path: whoever can't ask for them says so.
      #expect(audit.rows.count >= names.count - 3, "\(outcome)")
      #expect(audit.files.keys.allSatisfy { $0.count == 64 && $0.allSatisfy(\.isHexDigit) })
      #expect(access("\(rig.home.path)/escape", F_OK) != 0)
      #expect(access("/etc/escape", F_OK) != 0)
      let listing = try await rig.run(["cache", "list"])
      #expect(listing.status == 0)
      #expect(!listing.output.contains("\u{0}") && !listing.output.contains("\r"))
      source.stop()
    }

    @Test func `a redirect to another host brings no cookie there`() async throws {
      let items = TrackSource.made(1, seed: 16)
      let other = try RawServer { connection in
        guard connection.readHead() != nil else { return }
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(items[0].bytes.count)\r\n\r\n")
        connection.write(items[0].bytes)
      }
      let source = try TrackSource(items) { _, _, connection in
        // Another host, by name.
        connection.answer("302 Found", ["Location: http://localhost:\(other.port)/elsewhere"])
        return true
      }
      let rig = try CacheRig(source)
      let outcome = try await rig.run(["cache", "add", "--json", "--retry", "0", items[0].id])
      print("\(outcome.status ?? -1) \(outcome.errors)")
      #expect(outcome.status != nil && outcome.status != 70)
      #expect(other.heads.allSatisfy { !$0.contains("blastoise_session") })
      #expect((outcome.status == 0) == (try rig.held() == [items[0].id]))
      source.stop()
      other.stop()
    }
  }
}
