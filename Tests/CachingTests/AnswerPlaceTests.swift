import RoomProtocol
import Testing

@testable import Caching

struct AnswerPlaceTests {
  private func answer(
    _ status: Int, length: String? = nil, range: String? = nil, tag: String? = nil
  ) -> TrackAnswer {
    var answer = TrackAnswer(status: status)
    answer.contentLength = length
    answer.contentRange = range
    answer.entityTag = tag
    return answer
  }

  @Test func `a whole answer begins at the first byte, whatever was asked`() throws {
    let place = try AnswerPlace(
      answer(200, length: "1000", tag: "\"a\""),
      to: TrackRequest("t", from: 500, validator: "\"b\""))
    #expect(place.start == 0)
    #expect(place.end == 1000)
    #expect(place.length == 1000)
    #expect(place.validator == "\"a\"")
    #expect(!place.isPart)
  }

  @Test func `a part stands where its header says`() throws {
    let place = try AnswerPlace(
      answer(206, length: "100", range: "bytes 500-599/1000"), to: TrackRequest("t", from: 500))
    #expect(place.start == 500)
    #expect(place.end == 600)
    #expect(place.length == 1000)
    #expect(place.isPart)
    let open = try AnswerPlace(
      answer(206, range: "bytes 0-99/*"), to: TrackRequest("t", from: 0, to: 200))
    #expect(open.end == 100)
    #expect(open.length == nil)
  }

  @Test(arguments: [
    "9223372036854775808", "-1", "1e3", "", " 5", "+5", "9223372036854775807", "10, 10",
  ])
  func `an impossible length is refused`(length: String) {
    #expect(throws: AnswerPlace.Nonsense.self) {
      try AnswerPlace(answer(200, length: length), to: TrackRequest("t"))
    }
  }

  @Test(arguments: [
    nil, "", "bytes", "bytes */1000", "bytes 499-599/1000", "bytes 501-599/1000",
    "bytes 500-499/1000",
    "bytes 500-1000/1000", "bytes 500-700/1000", "bytes 500-599/", "bytes 500-599/-5",
    "items 500-599/1000",
    "bytes 500-599/9223372036854775808", "bytes 500-9223372036854775807/*", "bytes 500-599/1000/1",
  ])
  func `a part that does not fit what was asked is refused`(range: String?) {
    #expect(throws: AnswerPlace.Nonsense.self) {
      try AnswerPlace(answer(206, range: range), to: TrackRequest("t", from: 500, to: 650))
    }
  }

  @Test func `a part of another length than its range is refused`() {
    #expect(throws: AnswerPlace.Nonsense.self) {
      try AnswerPlace(
        answer(206, length: "99", range: "bytes 500-599/1000"), to: TrackRequest("t", from: 500))
    }
  }

  private static let (now, before) = (
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:35 GMT"
  )

  @Test(
    arguments: [
      ("\"a\"", nil, nil, "\"a\""), ("W/\"a\"", nil, nil, nil), ("a", nil, nil, nil),
      ("\"", nil, nil, nil),
      ("W/\"a\"", before, now, nil), (nil, before, now, before), (nil, now, now, nil),
      (nil, before, nil, nil), (nil, "yesterday", now, nil), (nil, "\(before)x", now, nil),
    ] as [(String?, String?, String?, String?)])
  func `only what surely tells two versions apart is a validator`(
    tag: String?, modified: String?, date: String?, validator: String?
  ) {
    var answer = TrackAnswer(status: 200)
    answer.entityTag = tag
    answer.lastModified = modified
    answer.date = date
    #expect(answer.validator == validator)
  }

  @Test func `a range is asked for by its first and last byte`() {
    #expect(TrackRequest("t").range == nil)
    #expect(TrackRequest("t", from: 5).range == "bytes=5-")
    #expect(TrackRequest("t", from: 5, to: 10).range == "bytes=5-9")
  }
}
