import Glibc
import TestSupport
import Testing

extension CacheEncounters {
  /// A disk without a byte free: a tmpfs in a mount namespace of the test's own.
  @Suite(.timeLimit(.minutes(2)), .enabled(if: Mounting.isPossible, "no tmpfs can be mounted here"))
  struct CacheFullDiskTests {
    /// Starts a script with a tmpfs of 20 MB at the cache's place; `$b` is the program.
    private func start(
      _ script: String, _ home: TemporaryFolder, _ variables: [String: String]
    ) throws -> Program {
      mkdir(home.file("cache"), 0o700)
      let mounted = """
        mount -t tmpfs -o size=20m none "$XDG_CACHE_HOME" || exit 99
        fill() { dd if=/dev/zero of="$XDG_CACHE_HOME/ballast" bs=64k 2>/dev/null; \
        dd if=/dev/zero of="$XDG_CACHE_HOME/ballast2" bs=1 count=4096 2>/dev/null; }
        \(script)
        """
      return try Program(
        ["-rm", "/bin/sh", "-c", mounted], home: home,
        variables: variables.merging(["b": Program.path, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]) {
          $1
        },
        program: "/usr/bin/unshare")
    }

    @Test(arguments: ["fill", "fill; truncate -s -200k \"$XDG_CACHE_HOME/ballast\"", "true"])
    func `a listener plays on`(before: String) async throws {
      let room = try await Room([("a.flac", "audio/ruler.flac")])
      let home = try TemporaryFolder()
      let program = try start(
        "\(before); exec \"$b\" listen --server \(room.url) --output null --json", home,
        ["BLASTOISE_CACHE_RESERVE": "0"])
      let outcome = try await program.playsOn(before)
      if before == "fill" {
        // That nothing is kept is said.
        #expect((outcome.output + outcome.errors).contains("kept"), "\(outcome)")
      }
      await room.stop()
    }

    @Test func `prune and remove work with no byte free`() async throws {
      let items = TrackSource.made(4, seed: 31)
      let source = try TrackSource(items)
      let rig = try CacheRig(source)
      let ids = items.map { "'\($0.id)'" }
      let program = try start(
        """
        "$b" cache add \(ids.joined(separator: " ")) || exit 1
        fill
        "$b" cache remove --yes \(ids[0]) || exit 2
        test ! -e "$XDG_CACHE_HOME/blastoise/tracks/\(items[0].digest)" || exit 3
        fill
        "$b" cache prune --max 0 || exit 4
        test -z "$(ls "$XDG_CACHE_HOME/blastoise/tracks")" || exit 5
        fill
        "$b" cache add --yes --retry 0 \(ids[0]); test $? = 73 || exit 6
        "$b" cache list || exit 7
        """, rig.home, rig.variables)
      let outcome = try await program.end(within: .seconds(40))
      #expect(outcome.status == 0, "\(outcome)")
      source.stop()
    }
  }
}

/// Whether a test may mount a disk of its own: as root, or where users may make namespaces.
private enum Mounting {
  static let isPossible: Bool = {
    let words = ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    guard access("/usr/bin/unshare", X_OK) == 0,
      let pid = try? spawn(
        "/usr/bin/unshare", words, ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], { _ in })
    else { return false }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return status == 0
  }()
}
