import TestSupport
import Testing

/// What users of `mpc`, `gh` and `git` type, in one room after another line: each works as it is
/// typed or is told the right words (docs/habits.md).
@Suite(.timeLimit(.minutes(3))) struct HabitTests {
  /// A line, what is seen of it, and whether it works.
  struct Habit: Sendable {
    var typed: String
    var seen: String
    var works = true
  }

  /// As `mpc` would have it, the program's name apart.
  static let mpc = [
    Habit(typed: "blastoise toggle", seen: "playing Lobby"),
    Habit(typed: "blastoise pause", seen: "paused Lobby"),
    Habit(typed: "blastoise play 2", seen: "playing Lobby"),
    Habit(typed: "blastoise next", seen: "row 3"),
    Habit(typed: "blastoise prev", seen: "row 2"),
    Habit(typed: "blastoise seek +10", seen: "Lobby is at 0:1"),
    Habit(typed: "blastoise seek 50%", seen: "Lobby is at 0:25 of 0:50"),
    Habit(typed: "blastoise add harbour", seen: "added \"The Anchors - Harbour Lights\""),
    Habit(typed: "blastoise del 3", seen: "removed \"The Anchors - Around the Bay\""),
    Habit(typed: "blastoise shuffle", seen: "shuffled the 4 rows"),
    Habit(typed: "blastoise crop", seen: "kept \"The Anchors - Night Ferry\""),
    Habit(typed: "blastoise status", seen: "Lobby"),
    Habit(typed: "blastoise volume 40", seen: "40"),
    Habit(typed: "blastoise volume +5", seen: "45"),
    Habit(typed: "blastoise clear", seen: "--yes", works: false),
    Habit(typed: "blastoise move 5 1", seen: "blastoise queue move 5 --to 1", works: false),
    Habit(typed: "blastoise queue move 5 1", seen: "queue move 5 --to 1", works: false),
    Habit(typed: "blastoise current", seen: "blastoise status", works: false),
    Habit(typed: "blastoise random on", seen: "blastoise mode shuffle", works: false),
    Habit(typed: "blastoise search title x", seen: "blastoise library search", works: false),
    Habit(typed: "blastoise load Evening", seen: "blastoise playlist queue", works: false),
    Habit(typed: "blastoise lsplaylists", seen: "no playlists"),
    Habit(typed: "blastoise update", seen: "blastoise library refresh", works: false),
    Habit(typed: "blastoise idle player", seen: "blastoise events", works: false),
    Habit(typed: "blastoise outputs", seen: "blastoise devices", works: false),
  ]

  /// As `gh` and `git` would have it.
  static let others = [
    Habit(typed: "blastoise auth login", seen: "blastoise login", works: false),
    Habit(typed: "blastoise auth status", seen: "blastoise whoami", works: false),
    Habit(typed: "blastoise channel list --json", seen: "\"channels\": [{"),
    Habit(typed: "blastoise room ls", seen: "Lobby  default"),
    Habit(typed: "blastoise pr create", seen: "blastoise channel create", works: false),
    Habit(typed: "blastoise help queue move", seen: "usage: blastoise queue move"),
    Habit(typed: "blastoise queue -h", seen: "usage: blastoise queue"),
    Habit(typed: "blastoise --version", seen: "blastoise "),
    Habit(typed: "blastoise version", seen: "blastoise --version", works: false),
    Habit(typed: "blastoise config --list", seen: "blastoise config list", works: false),
    Habit(typed: "blastoise config unset channel", seen: "config set KEY \"\"", works: false),
    Habit(typed: "blastoise log | head", seen: "blastoise events", works: false),
    Habit(typed: "blastoise -C /tmp queue list", seen: "--config FILE", works: false),
    Habit(typed: "blastoise queue list | head -1", seen: "0:50  The Anchors"),
    Habit(typed: "blastoise cache clear", seen: "blastoise cache remove --all", works: false),
    Habit(typed: "blastoise cache ls", seen: "0 tracks"),
    Habit(typed: "blastoise qeue list", seen: "did you mean queue?", works: false),
    Habit(typed: "blastoise queue lst", seen: "did you mean list?", works: false),
  ]

  @Test(arguments: [mpc, others])
  func `what is typed elsewhere works here or is told the right words`(
    habits: [Habit]
  ) async throws {
    #expect(habits.count >= 15)
    let stage = try await Stage(["login"])
    for habit in habits {
      let lines = try await stage.lines(of: habit.typed)
      // A pipe has the status of its last program.
      let fails = lines.contains { $0.hasPrefix("! blastoise: ") }
      #expect(fails != habit.works, "\(habit.typed): \(lines)")
      let told = habit.works ? lines : lines.filter { $0.hasPrefix("! ") }
      #expect(told.contains { $0.contains(habit.seen) }, "\(habit.typed): \(lines)")
    }
    await stage.end()
  }
}
