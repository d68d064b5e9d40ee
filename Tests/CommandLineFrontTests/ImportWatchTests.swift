import RoomProtocol
import Testing

@testable import CommandLineFront

@Suite struct ImportWatchTests {
  private func watch(_ items: ImportWatch.Item..., earlier: [FetchJob] = []) -> ImportWatch {
    ImportWatch(items, earlier: earlier)
  }

  private func job(
    _ id: FetchID?, _ status: String?, title: String? = nil, progress: Double? = nil,
    error: String? = nil, track: TrackID? = nil
  ) -> FetchJob {
    FetchJob(
      id: id, title: title, status: status, progress: progress, error: error, trackID: track)
  }

  @Test func `a job is followed to its end`() {
    var watch = watch(.init(id: "1", title: "Song"))
    let news1 = watch.take([job("2", "done"), job("1", "downloading", progress: 50)])
    #expect(news1)
    #expect(!watch.isOver)
    #expect(watch.fraction == 0.5)
    let news2 = watch.take([job("1", "downloading", progress: 50)])
    #expect(!news2)
    let news3 = watch.take([job("1", "complete", title: "Song!", track: "t")])
    #expect(news3)
    #expect(watch.items[0].end == .done)
    #expect(watch.items[0].trackID == "t")
    #expect(watch.items[0].title == "Song!")
    #expect(watch.isOver)
  }

  /// A server's word for a state, and what it means.
  static let words: [(status: String?, state: JobState)] = [
    ("complete", .ended(.done)), ("Finished", .ended(.done)),
    ("error", .ended(.failed("why"))), ("failed", .ended(.failed("why"))),
    ("canceled", .ended(.cancelled)), ("queued", .waiting), ("downloading", .running),
    ("whatever", .running), (nil, .ended(.failed("why"))),
  ]

  @Test(arguments: words)
  func `a state in whatever word`(word: (status: String?, state: JobState)) {
    #expect(JobState(FetchJob(status: word.status, error: "why")) == word.state)
  }

  @Test func `a job that goes from the list is gone after two lists`() {
    var watch = watch(.init(id: "1", title: "Song"))
    _ = watch.take([job("1", "downloading")])
    _ = watch.take([])
    #expect(!watch.isOver)
    _ = watch.take([])
    #expect(watch.items[0].end == .vanished)
    watch.settle(0, as: nil)
    #expect(watch.items[0].end == .vanished)
    watch.settle(0, as: "t")
    #expect(watch.items[0].end == .done)
  }

  @Test func `one that comes back after a moment goes on`() {
    var watch = watch(.init(id: "1", title: "Song"))
    _ = watch.take([job("1", "downloading")])
    _ = watch.take([])
    _ = watch.take([job("1", "converting")])
    _ = watch.take([])
    #expect(!watch.isOver)
  }

  @Test func `a job that is never listed is waited for a little longer`() {
    var watch = watch(.init(id: "1", title: "Song"))
    for _ in 1..<ImportWatch.patience { _ = watch.take([]) }
    #expect(!watch.isOver)
    _ = watch.take([])
    #expect(watch.isOver)
  }

  @Test func `without an id it is known by address, by title, or as the only new one`() {
    let earlier = [FetchJob(id: "old", title: "Song")]
    var byURL = watch(.init(title: "x", url: "http://h/1"), earlier: earlier)
    _ = byURL.take([
      FetchJob(id: "9", status: "done"), FetchJob(id: "8", url: "http://h/1", status: "error"),
    ])
    #expect(byURL.items[0].end == .failed(nil))

    var byTitle = watch(.init(title: "Song"), earlier: earlier)
    _ = byTitle.take([
      job("old", "done", title: "Song"), job("7", "queued", title: "Song"), job("6", nil),
    ])
    #expect(byTitle.items[0].id == "7")

    var byBeingNew = watch(.init(title: "http://h/2"), earlier: earlier)
    _ = byBeingNew.take([job("old", "done"), job("5", "complete", title: "What it is called")])
    #expect(byBeingNew.items[0].end == .done)
  }

  @Test func `two entries of one title are two imports`() {
    var watch = watch(.init(id: "1", title: "Song"), .init(id: "2", title: "Song"))
    _ = watch.take([
      job("2", "error", title: "Song", error: "gone"), job("1", "done", title: "Song"),
    ])
    #expect(watch.items.map(\.end) == [.done, .failed("gone")])
  }

  @Test func `a listener's messages tell the same`() {
    var watch = watch(.init(id: "1", title: "Song"), .init(title: "Other"))
    let news4 = watch.take(
      FetchUpdate(type: "fetch_progress", id: "1", status: "downloading", progress: 20))
    #expect(news4)
    #expect(watch.fraction == 0.1)
    let news5 = watch.take(FetchUpdate(type: "fetch_complete", id: "3"))
    #expect(!news5)
    let news6 = watch.take(FetchUpdate(type: "fetch_complete", id: "1"))
    #expect(news6)
    let news7 = watch.take(FetchUpdate(type: "fetch_error", id: "4", title: "Other", message: "no"))
    #expect(news7)
    #expect(watch.items.map(\.end) == [.done, .failed("no")])
  }

  @Test func `the looks become fewer while nothing happens`() {
    var pace = PollPace()
    let first = pace.wait(afterNews: true)
    #expect(first == .milliseconds(300))
    var waits: [Duration] = []
    for _ in 0..<40 { waits.append(pace.wait(afterNews: false)) }
    #expect(waits.first == .seconds(1))
    #expect(waits.last == .seconds(5))
    #expect(waits == waits.sorted())
    let again = pace.wait(afterNews: true)
    #expect(again == .seconds(1))
  }

  @Test(arguments: [
    ("1", [0]), ("1-3,5", [0, 1, 2, 4]), ("5,1-2,2", [0, 1, 4]), ("1-5", [0, 1, 2, 3, 4]),
  ])
  func `entries by rows and ranges`(text: String, indices: [Int]) throws {
    #expect(try ImportChoice(text).indices(of: 5) == indices)
  }

  @Test(arguments: [
    ("", FailureCode.usage), ("x", .usage), ("1,", .usage), ("3-1", .usage), ("1-2-3", .usage),
    ("-1", .usage), ("0", .outOfRange), ("6", .outOfRange), ("4-9", .outOfRange),
    ("99999999999999999999", .outOfRange),
  ])
  func `other texts choose nothing`(text: String, code: FailureCode) {
    let error = #expect(throws: Diagnostic.self) { try ImportChoice(text).indices(of: 5) }
    #expect(error?.code == code)
  }
}
