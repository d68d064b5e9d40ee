import RoomProtocol
import Testing

@Suite struct FetchJobTests {
  /// A list of imports as some server may write it, and the jobs in it: id, title, status.
  static let lists: [(text: String, jobs: [[String?]])] = [
    ("[]", []),
    ("{}", []),
    ("null", []),
    ("[[{\"id\": \"a\"}], [{\"id\": \"b\"}]]", [["a", nil, nil], ["b", nil, nil]]),
    ("[{\"uuid\": \"a\", \"file\": \"song.mp3\"}]", [["a", "song.mp3", nil]]),
    ("[{\"id\": \"a\", \"video\": {\"title\": \"Song\"}}]", [["a", "Song", nil]]),
    ("[{\"x\": 1}]", [[nil, "{\"x\": 1}", nil]]),
    ("{\"error\": \"busy\"}", []),
    (
      "{\"5\": {\"state\": \"x\", \"track\": {\"id\": \"t\", \"title\": \"Song\"}}}",
      [["5", nil, "x"]]
    ),
    ("{\"jobs\": []}", []),
    (
      "[{\"id\": 7, \"title\": \"Song\", \"status\": \"queued\"}, 3, null]",
      [["7", "Song", "queued"]]
    ),
    (
      "{\"status\": \"ok\", \"count\": 1, \"jobs\": [{\"itemId\": \"a\", \"name\": \"Song\", \"state\": \"x\"}]}",
      [["a", "Song", "x"]]
    ),
    (
      "{\"fast\": [{\"id\": \"a\"}], \"slow\": [{\"id\": \"b\"}], \"active\": {\"id\": \"c\"}}",
      [["c", nil, nil], ["a", nil, nil], ["b", nil, nil]]
    ),
    ("{\"queue\": {\"items\": [{\"id\": \"a\"}]}}", [["a", nil, nil]]),
    ("{\"current\": null, \"items\": [{\"jobId\": \"a\"}]}", [["a", nil, nil]]),
    (
      "{\"id\": \"a\", \"title\": \"Song\", \"phase\": \"converting\"}",
      [["a", "Song", "converting"]]
    ),
    ("{\"current\": {\"title\": \"Song\", \"status\": \"x\"}}", [[nil, "Song", "x"]]),
    (
      "{\"x1\": {\"title\": \"One\"}, \"x2\": {\"title\": \"Two\", \"id\": \"own\"}}",
      [["x1", "One", nil], ["own", "Two", nil]]
    ),
    (
      "{\"id\": \"a\", \"title\": \"Song\", \"formats\": [{\"id\": \"mp3\"}]}",
      [["a", "Song", nil]]
    ),
  ]

  @Test(arguments: lists)
  func `a list of whatever shape`(list: (text: String, jobs: [[String?]])) throws {
    let jobs = try WireJSON.decode(FetchJobList.self, from: Array(list.text.utf8)).jobs
    #expect(jobs.map { [$0.id?.rawValue, $0.title, $0.status] } == list.jobs)
  }

  @Test func `an address is a job, and what is none is counted`() throws {
    let text = "{\"jobs\": [\"http://songs.test/one\", \"none\", 3, null, {\"id\": \"a\"}]}"
    let list = try WireJSON.decode(FetchJobList.self, from: Array(text.utf8))
    #expect(list.jobs == [FetchJob(url: "http://songs.test/one"), FetchJob(id: "a")])
    #expect(list.droppedElements == 3)
  }

  @Test(arguments: ["3", "\"none\"", "<html>", ""])
  func `what is neither an array nor an object is told`(text: String) {
    #expect(throws: (any Error).self) {
      try WireJSON.decode(FetchJobList.self, from: Array(text.utf8))
    }
  }

  /// A job's text, and its error, progress and track.
  static let jobs: [(text: String, error: String?, progress: Double?, track: TrackID?)] = [
    ("{\"status\": \"error\", \"message\": \"gone\"}", "gone", nil, nil),
    ("{\"status\": \"downloading\", \"message\": \"20 %\", \"percent\": \"20\"}", nil, 20, nil),
    ("{\"status\": \"downloading\", \"progress\": \"42.5 %\"}", nil, 42.5, nil),
    ("{\"status\": \"downloading\", \"progress\": \"nan\"}", nil, nil, nil),
    ("{\"progress\": {\"percent\": 30, \"eta\": 4}}", nil, 30, nil),
    ("{\"message\": \"on its way\"}", nil, nil, nil),
    ("{\"error\": \"private\", \"message\": \"more\"}", "private", nil, nil),
    ("{\"status\": \"complete\", \"progress\": 100, \"track_id\": \"t\"}", nil, 100, "t"),
    ("{\"track\": {\"id\": \"t\", \"title\": \"Song\"}}", nil, nil, "t"),
  ]

  @Test(arguments: jobs)
  func `a job under whatever names`(
    job: (text: String, error: String?, progress: Double?, track: TrackID?)
  ) throws {
    let read = try WireJSON.decode(FetchJob.self, from: Array(job.text.utf8))
    #expect(read.error == job.error)
    #expect(read.progress == job.progress)
    #expect(read.trackID == job.track)
  }
}
