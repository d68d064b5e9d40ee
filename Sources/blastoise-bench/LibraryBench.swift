import Caching
import Dispatch
import Glibc
import Listening
import RoomClient
import RoomProtocol
import Transport

/// A library of 100,000 tracks: read from a server on loopback into its listing, and searched.
enum LibraryBench {
  static func run() {
    guard let port = BenchRoom.freePort(),
      let server = ChildProcess("/proc/self/exe", ["serve-library", "\(port)"])
    else { return Figure.skip("library", because: "its server does not start") }
    Folder.temporary { folder in
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        do {
          try await measure(port: port, folder: folder)
        } catch {
          Figure.skip("library", because: "\(error)")
        }
        done.signal()
      }
      done.wait()
    }
    _ = consume server
  }

  @concurrent
  private static func measure(port: Int, folder: String) async throws {
    let address = try ServerAddress("http://127.0.0.1:\(port)")
    let client = HTTPClient(configuration: TransportConfiguration(userAgent: "bench"))
    let api = RoomAPI(server: address, http: client)
    try await waitForServer(api)
    let listing = LibraryListing(folder: folder, server: address.description)
    let fetcher = APILibraryFetcher(api: api)
    let memory = MemoryPeak()
    var start = Stopwatch.now
    let work = Stopwatch.processorNow
    let first = try await listing.refresh(by: fetcher)
    Figure(
      name: "library of \(first.new) tracks, first load with index", value: Stopwatch.now - start,
      unit: "s", due: .atMost(2.5)
    ).report()
    Figure(
      name: "  processor time of it", value: Stopwatch.processorNow - work,
      unit: "s"
    ).report()
    Figure(
      name: "  memory above the base", value: memory.growth, unit: "MiB", digits: 1,
      due: .atMost(64)
    ).report()
    start = Stopwatch.now
    let same = try await listing.refresh(by: fetcher)
    Figure(
      name: "  the same again (\(same.changed) changed)", value: Stopwatch.now - start, unit: "s"
    ).report()
    start = Stopwatch.now
    let other = try await listing.refresh(by: fetcher)
    Figure(
      name: "  one in a hundred changed (\(other.changed))", value: Stopwatch.now - start, unit: "s"
    ).report()
    try await search(listing)
    client.shutdown()
  }

  private static func search(_ listing: LibraryListing) async throws {
    for (kind, words) in [
      ("two words", "ramiver naku"), ("one word", "ververlo"), ("three letters", "stam"),
      ("artist and album", "rara 77"), ("Japanese", "東東"), ("one letter", "s"),
    ] {
      var times: [Double] = []
      var work = Double.infinity
      var count = 0
      for _ in 0..<7 {
        let start = Stopwatch.now
        let before = Stopwatch.processorNow
        count = try await listing.search(words).count
        work = min(work, Stopwatch.processorNow - before)
        times.append(Stopwatch.now - start)
      }
      let median = times.sorted()[times.count / 2]
      Figure(
        name: "  search: \(kind) (\(count) found)", value: median * 1000, unit: "ms", digits: 1,
        due: kind == "one letter" ? nil : .atMost(50)
      ).report()
      Figure(
        name: "    processor time of it, the least of seven", value: work * 1000, unit: "ms",
        digits: 1
      ).report()
    }
  }

  private static func waitForServer(_ api: RoomAPI) async throws {
    for _ in 0..<200 {
      if (try? await api.status()) != nil { return }
      usleep(100_000)
    }
    _ = try await api.status()
  }
}

/// How much more memory this process held at its highest than when the value was made.
private struct MemoryPeak {
  private let base: Double

  init() {
    // Lets the kernel count its highest anew.
    let file = open("/proc/self/clear_refs", O_WRONLY)
    _ = write(file, "5", 1)
    close(file)
    base = Self.peak
  }

  /// In MiB.
  var growth: Double { Self.peak - base }

  private static var peak: Double {
    let lines = (Folder.text(of: "/proc/self/status") ?? "").split(separator: "\n")
    let line = lines.first { $0.hasPrefix("VmHWM:") } ?? ""
    return Double(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "0").map {
      $0 / 1024
    } ?? 0
  }
}
