import Glibc
import TestSupport
import Testing

extension CacheTrials {
  /// The n-th system call in the cache's folder fails, is short, or all of them do from there on:
  /// no command crashes, each says honestly how it went, and the cache is sound afterwards.
  ///
  /// `BLASTOISE_TORTURE` says how many places are tried.
  @Suite(.timeLimit(.minutes(10))) struct CacheFaultTests {
    /// What fails, and how.
    struct Fault: Sendable, CustomTestStringConvertible {
      var kind: FaultLibrary.Kind
      var calls = ""
      var count = 1

      var testDescription: String {
        "\(kind) \(calls)\(count == 0 ? " and ever after" : "")"
      }
    }

    static let faults: [Fault] = [
      Fault(kind: .fails(ENOSPC), calls: "write,cut,open,mkdir,rename"),
      Fault(kind: .fails(ENOSPC), calls: "write,cut,open,mkdir,rename", count: 0),
      Fault(kind: .fails(EIO)), Fault(kind: .fails(EIO), count: 0),
      Fault(kind: .fails(EIO), calls: "sync"), Fault(kind: .fails(EIO), calls: "read", count: 0),
      Fault(kind: .fails(EMFILE), calls: "open"),
      Fault(kind: .fails(EMFILE), calls: "open", count: 0),
      Fault(kind: .fails(EROFS), count: 0), Fault(kind: .short, calls: "write", count: 0),
    ]

    /// The commands, and which may be called done when they end with 0.
    static let commands = ["add", "prune", "remove", "verify", "list"]

    @Test(arguments: faults) func `a command under a fault`(fault: Fault) async throws {
      let library = try #require(FaultLibrary.path, "no C compiler")
      let tries = max(1, CacheRig.number("BLASTOISE_TORTURE", or: 10) / 10)
      print("seed \(CacheRig.seed), \(tries) places each, \(library)")
      var chance = SeededGenerator(seed: CacheRig.seed)
      let items = TrackSource.made(6, seed: CacheRig.seed, sizes: 50_000...200_000)
      let source = try TrackSource(items)
      let rig = try CacheRig(source, limit: 800_000)
      for command in Self.commands {
        let calls = try await count(command, rig, fault)
        for _ in 0..<tries where calls > 0 {
          let plan = FaultLibrary.Plan(
            kind: fault.kind, at: Int.random(in: 1...calls, using: &chance), count: fault.count,
            calls: fault.calls)
          try await meet(plan, command, rig)
        }
      }
      source.stop()
    }

    /// What a command is told.
    private func words(_ command: String, _ rig: CacheRig) -> [String] {
      let ids = rig.source.items.map(\.id)
      return switch command {
      case "add": ["cache", "add", "--json", "--retry", "0"] + ids.suffix(2)
      case "prune": ["cache", "prune", "--max", "200000"]
      case "remove": ["cache", "remove", "--yes", ids[0], ids[1]]
      default: ["cache", command]
      }
    }

    /// Fills the cache with its first four tracks, and with nothing else.
    private func prepare(_ rig: CacheRig) async throws {
      let ids = rig.source.items.map(\.id)
      let held = try rig.held()
      guard held != Set(ids.prefix(4)) else { return }
      let gone = held.subtracting(ids.prefix(4)).sorted()
      if !gone.isEmpty { _ = try await rig.run(["cache", "remove", "--yes"] + gone) }
      let outcome = try await rig.run(["cache", "add"] + ids.prefix(4))
      #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func count(_ command: String, _ rig: CacheRig, _ fault: Fault) async throws -> Int {
      try await prepare(rig)
      let log = rig.home.file("calls-\(command)")
      let plan = FaultLibrary.Plan(kind: fault.kind, calls: fault.calls)
      let outcome = try await rig.run(
        words(command, rig), FaultLibrary.variables(plan, in: rig.folder, log: log))
      #expect(outcome.status == 0, "\(command): \(outcome.errors)")
      return (try? Fixture.bytes(at: log).count { $0 == UInt8(ascii: "\n") }) ?? 0
    }

    private func meet(_ plan: FaultLibrary.Plan, _ command: String, _ rig: CacheRig) async throws {
      try await prepare(rig)
      let before = try rig.held()
      let outcome = try await rig.run(
        words(command, rig), FaultLibrary.variables(plan, in: rig.folder))
      let context = "\(command), \(plan) (seed \(CacheRig.seed))"
      #expect(outcome.status != nil, "\(context): it crashed: \(outcome.errors)")
      #expect(outcome.status != 70, "\(context): \(outcome.errors)")
      if outcome.status != 0 { #expect(!outcome.errors.isEmpty, "\(context): not a word") }
      let prune = try await rig.run(["cache", "prune"])
      #expect(prune.status == 0, "\(context): \(prune.errors)")
      let audit = try rig.audit()
      let after = audit.ids(of: rig.source.url)
      let faults = audit.faults(against: rig.source.items)
      #expect(faults.isEmpty, "\(context): \(faults)")
      let ids = rig.source.items.map(\.id)
      switch command {
      case "add":
        if outcome.status == 0 {
          #expect(after.isSuperset(of: ids.suffix(2)), "\(context): \(outcome)")
        }
        #expect(after.isSuperset(of: try CacheRig.finished(outcome.output)), "\(context)")
      case "remove":
        if outcome.status == 0 { #expect(after.isDisjoint(with: ids.prefix(2)), "\(context)") }
        #expect(after.isSuperset(of: before.subtracting(ids.prefix(2))), "\(context)")
      case "prune":
        if outcome.status == 0 { #expect(audit.bytes <= 200_000, "\(context)") }
      default: #expect(after == before || plan.calls == "read", "\(context): something is lost")
      }
    }

    @Test func `a listener plays on, whatever its cache's disk does`() async throws {
      _ = try #require(FaultLibrary.path, "no C compiler")
      var chance = SeededGenerator(seed: CacheRig.seed)
      let room = try await Room([("a.flac", "audio/ruler.flac")])
      let plans = Self.faults.map { fault in
        FaultLibrary.Plan(
          kind: fault.kind, at: Int.random(in: 1...40, using: &chance), count: fault.count,
          calls: fault.calls)
      }
      // Beside each other: each listens for some seconds.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for plan in plans {
          group.addTask {
            let home = try TemporaryFolder()
            let program = try Program(
              room.listen("--json"), home: home,
              variables: FaultLibrary.variables(plan, in: home.file("cache/blastoise")))
            try await program.playsOn("\(plan)")
          }
        }
        try await group.waitForAll()
      }
      await room.stop()
    }
  }
}
