import Glibc
import TestSupport
import Testing

extension CacheTrials {
  /// The program is killed while it fills, evicts, removes and prunes: at random moments, and at the
  /// n-th of its system calls, so that each step of each command is met.
  ///
  /// `BLASTOISE_TORTURE` says how many kills; `make torture` does 200.
  @Suite(.timeLimit(.minutes(10))) struct CacheKillTests {
    static let kills = CacheRig.number("BLASTOISE_TORTURE", or: 30)
    static let limit = 2_000_000

    /// What a child is told to do, and what may be missing afterwards.
    struct Errand {
      var words: [String]
      var adds: Set<String> = []
      var removes: Set<String> = []
      /// What `prune` was to leave; nil where it is another command.
      var leaves: Int?

      /// Where a moment is drawn from: how many calls, how many microseconds a whole run takes.
      var kind: String { words[1] }
    }

    /// How long commands are when nobody kills them.
    struct Extent {
      var calls = 1
      var time = Duration.zero
    }

    @Test func `killed at any moment, nothing is lost, nothing wrong, nothing left over`()
      async throws
    {
      let library = try #require(FaultLibrary.path, "no C compiler")
      let seed = CacheRig.seed
      print("seed \(seed), \(Self.kills) kills, \(library)")
      var chance = SeededGenerator(seed: seed)
      let source = try TrackSource(TrackSource.made(20, seed: seed), pace: 300)
      let rig = try CacheRig(source, limit: Self.limit)
      let extents = try await measure(rig, &chance)
      var died = 0
      for number in 1...Self.kills {
        let before = try rig.held()
        let task = task(rig, before, &chance)
        let (outcome, plan) = try await kill(task, rig, extents[task.kind] ?? Extent(), &chance)
        if outcome.status == nil { died += 1 }
        let context = "kill \(number) (seed \(seed)): \(task.words.prefix(2)) \(plan)"
        // The next process finds it.
        let prune = try await rig.run(["cache", "prune"])
        #expect(prune.status == 0, "\(context): \(prune.errors)")
        let audit = try rig.audit()
        let faults = audit.faults(against: source.items)
        #expect(faults.isEmpty, "\(context): \(faults)")
        #expect(audit.bytes <= Self.limit, "\(context): \(audit.bytes) bytes")
        try checkLosses(task, before, audit.ids(of: source.url), outcome, rig, context)
        if !faults.isEmpty { return }
      }
      print("\(died) of \(Self.kills) died of it")
      #expect(died > Self.kills / 3)
      // After all that it still does its work.
      let all = Set(source.items.prefix(4).map(\.id))
      let last = try await rig.run(["cache", "add"] + all.sorted())
      #expect(last.status == 0, "\(last.errors)")
      #expect(try rig.held().isSuperset(of: all))
      source.stop()
    }

    private func checkLosses(
      _ task: Errand, _ before: Set<String>, _ after: Set<String>, _ outcome: Program.Outcome,
      _ rig: CacheRig, _ context: String
    ) throws {
      let finished = try CacheRig.finished(outcome.output)
      #expect(finished.isSubset(of: after), "\(context): a finished track is lost")
      let missing = before.subtracting(after).subtracting(task.removes)
      guard !missing.isEmpty else { return }
      if let leaves = task.leaves {
        #expect(rig.bytes(of: before) > leaves, "\(context): pruned for nothing")
      } else {
        #expect(!task.adds.isEmpty, "\(context): \(missing.count) lost")
        #expect(missing.isDisjoint(with: task.adds), "\(context): evicted what was asked for")
        #expect(
          rig.bytes(of: before.union(task.adds)) > Self.limit, "\(context): evicted for nothing")
      }
    }

    // MARK: The children

    private func task(
      _ rig: CacheRig, _ held: Set<String>, _ chance: inout SeededGenerator
    ) -> Errand {
      let draw = Int.random(in: 0..<10, using: &chance)
      if draw < 2, held.count > 3 {
        let gone = Set(held.sorted().shuffled(using: &chance).prefix(2))
        return Errand(words: ["cache", "remove", "--yes", "--json"] + gone.sorted(), removes: gone)
      }
      if draw < 4, held.count > 3 {
        let leaves = Int.random(in: 300_000...1_500_000, using: &chance)
        return Errand(words: ["cache", "prune", "--json", "--max", "\(leaves)"], leaves: leaves)
      }
      let ids = rig.source.items.map(\.id).shuffled(using: &chance).prefix(4)
      return Errand(words: ["cache", "add", "--json"] + ids, adds: Set(ids))
    }

    private func kill(
      _ task: Errand, _ rig: CacheRig, _ extent: Extent, _ chance: inout SeededGenerator
    ) async throws -> (Program.Outcome, String) {
      if Bool.random(using: &chance) {
        let kind: FaultLibrary.Kind = Bool.random(using: &chance) ? .kill : .torn
        let plan = FaultLibrary.Plan(
          kind: kind, at: Int.random(in: 1...extent.calls, using: &chance))
        let outcome = try await rig.run(
          task.words, FaultLibrary.variables(plan, in: rig.folder))
        return (outcome, "\(plan)")
      }
      let span = Int(extent.time / .microseconds(1))
      let moment = Duration.microseconds(Int.random(in: 0...max(1, span), using: &chance))
      let program = try rig.start(task.words)
      try await Task.sleep(for: moment)
      program.send(SIGKILL)
      return (try await program.end(), "after \(moment)")
    }

    /// Runs each command once to its end, and counts its calls.
    private func measure(
      _ rig: CacheRig, _ chance: inout SeededGenerator
    ) async throws -> [String: Extent] {
      var extents: [String: Extent] = [:]
      let ids = rig.source.items.prefix(8).map(\.id)
      let log = rig.home.file("calls")
      for words in [
        ["cache", "add"] + ids.prefix(4), ["cache", "add"] + ids.suffix(4),
        ["cache", "remove", "--yes"] + ids.suffix(2), ["cache", "prune", "--max", "500000"],
      ] {
        unlink(log)
        let start = ContinuousClock.now
        let outcome = try await rig.run(
          words, FaultLibrary.variables(FaultLibrary.Plan(kind: .kill), in: rig.folder, log: log))
        #expect(outcome.status == 0, "\(words.prefix(2)): \(outcome.errors)")
        let calls = try Fixture.bytes(at: log).count { $0 == UInt8(ascii: "\n") }
        extents[words[1]] = Extent(calls: max(1, calls), time: ContinuousClock.now - start)
        print("\(words[1]): \(calls) calls, \(ContinuousClock.now - start)")
      }
      return extents
    }
  }
}
