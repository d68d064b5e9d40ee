import Glibc
import Platform
import Storage
import Synchronization
import TestSupport
import Testing

extension CacheEncounters {
  /// Four processes at work in one cache.
  @Suite(.timeLimit(.minutes(10))) struct CacheCrowdTests {
    @Test func `four that want the same tracks download each of them once`() async throws {
      let items = TrackSource.made(8, seed: CacheRig.seed)
      let source = try TrackSource(items, pace: 1000)
      let rig = try CacheRig(source)
      var programs: [Program] = []
      for number in 0..<4 {
        // Each begins elsewhere, so that they meet in the middle.
        let ids = (items[(number * 2)...] + items[..<(number * 2)]).map(\.id)
        programs.append(try rig.start(["cache", "add", "--json"] + ids))
      }
      for program in programs {
        let outcome = try await program.end()
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      for item in items {
        #expect(
          source.sent(item) == item.bytes.count, "\(item.title): \(source.asked(item)) requests")
      }
      let audit = try rig.audit()
      #expect(audit.ids(of: source.url) == Set(items.map(\.id)))
      #expect(audit.faults(against: items).isEmpty)
      source.stop()
    }

    @Test func `who waits for a process that is killed takes over what it left`() async throws {
      let item = TrackSource.made(1, seed: 9, sizes: 6_000_000...6_000_000)[0]
      let source = try TrackSource([item], pace: 4000)
      let rig = try CacheRig(source)
      let first = try rig.start(["cache", "add", "--json", item.id])
      try await eventually("half of it is there") { source.sent(item) > 3_000_000 }
      let second = try rig.start(["cache", "add", "--json", item.id])
      try await Task.sleep(for: .milliseconds(300))
      first.send(SIGKILL)
      _ = try await first.end()
      let outcome = try await second.end()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try rig.held() == [item.id])
      // What came since the last record is all that was paid twice: a megabyte at most.
      print("\(source.sent(item)) bytes sent for \(item.bytes.count)")
      #expect(source.sent(item) < item.bytes.count + 1_500_000)
      source.stop()
    }

    @Test func `the limit holds on the disk, whatever four do and whoever is killed`() async throws
    {
      let seed = CacheRig.seed
      let rounds = CacheRig.number("BLASTOISE_TORTURE", or: 24) / 8
      print("seed \(seed), \(rounds) rounds")
      var chance = SeededGenerator(seed: seed)
      let limit = 3_000_000
      let source = try TrackSource(TrackSource.made(20, seed: seed &+ 1), pace: 200)
      let rig = try CacheRig(source, limit: limit)
      let watch = RoomWatch(rig.folder)
      for round in 1...max(2, rounds) {
        let context = "round \(round) (seed \(seed))"
        var programs: [(Program, Set<String>)] = []
        for number in 0..<4 {
          let ids = source.items.map(\.id).shuffled(using: &chance).prefix(3)
          let leaves = Int.random(in: 1_000_000...limit, using: &chance)
          let words =
            number == 3
            ? ["cache", "prune", "--max", "\(leaves)"] : ["cache", "add", "--yes", "--json"] + ids
          programs.append((try rig.start(words), Set(ids)))
        }
        let victim = Int.random(in: 0..<8, using: &chance)
        if victim < 4 {
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...200, using: &chance)))
          programs[victim].0.send(SIGKILL)
        }
        for (number, (program, _)) in programs.enumerated() where number != victim {
          let outcome = try await program.end()
          // What three fetch at once may be more than the limit holds.
          #expect([0, 73, 75].contains(outcome.status), "\(context): \(outcome)")
        }
        if victim < 4 { _ = try await programs[victim].0.end() }
        let prune = try await rig.run(["cache", "prune"])
        #expect(prune.status == 0, "\(context): \(prune.errors)")
        let faults = try rig.audit().faults(against: source.items)
        #expect(faults.isEmpty, "\(context): \(faults)")
      }
      let most = watch.end()
      print("at most \(most) bytes of \(limit) on the disk")
      #expect(most <= limit)
      #expect(most > limit / 2)
      source.stop()
    }

    @Test(arguments: [1, 3])
    func `an index that somebody holds for seconds costs time and nothing else`(
      seconds: Int
    ) async throws {
      let items = TrackSource.made(3, seed: 5)
      let source = try TrackSource(items)
      let rig = try CacheRig(source)
      #expect(try await rig.run(["cache", "add", items[0].id]).status == 0)
      let outcomes = try await withThrowingTaskGroup(of: Program.Outcome.self) { group in
        let holder = try SQLiteConnection(path: "\(rig.folder)/index.db")
        try holder.execute("BEGIN IMMEDIATE")
        for words in [
          ["add", "--json", items[1].id, items[2].id], ["list"], ["path", items[0].id], ["stats"],
        ] {
          group.addTask { try await rig.run(["cache"] + words) }
        }
        try await Task.sleep(for: .seconds(seconds))
        try holder.execute("COMMIT")
        return try await group.reduce(into: []) { $0.append($1) }
      }
      // Within the patience of five seconds nobody notices; beyond it the command says so.
      for outcome in outcomes {
        #expect(outcome.status != nil)
        if seconds < 5 { #expect(outcome.status == 0, "\(outcome)") }
        if outcome.status != 0 { #expect(!outcome.errors.isEmpty) }
      }
      let again = try await rig.run(["cache", "add"] + items.map(\.id))
      #expect(again.status == 0, "\(again.errors)")
      #expect(try await rig.run(["cache", "prune"]).status == 0)
      #expect(try rig.held() == Set(items.map(\.id)))
      #expect(try rig.audit().faults(against: items).isEmpty)
      source.stop()
    }
  }
}

/// Looks at the room a cache takes all the time, on a thread of its own.
private final class RoomWatch: Sendable {
  private let most = Mutex(0)
  private let isOver = Atomic(false)
  private let thread = Mutex<NamedThread?>(nil)

  init(_ folder: String) {
    let watching = NamedThread(name: "room-watch") { [self] in
      while !isOver.load(ordering: .acquiring) {
        let room = CacheAudit.room(of: folder)
        most.withLock { $0 = max($0, room) }
        Pause.nanoseconds(2_000_000)
      }
    }
    thread.withLock { $0 = watching }
  }

  /// Ends it.
  ///
  /// - Returns: the most bytes it has seen.
  func end() -> Int {
    isOver.store(true, ordering: .releasing)
    thread.withLock { thread in
      defer { thread = nil }
      return thread
    }?.join()
    return most.withLock { $0 }
  }
}
