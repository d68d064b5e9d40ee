import RoomProtocol
import TestSupport
import Testing

/// Frames that no list of files can hold: generated, cut, damaged, bottomless.
@Suite struct FrameTests {
  /// A JSON value of no particular shape, with all that could mislead a scanner.
  static func value(depth: Int, _ random: inout SeededGenerator) -> String {
    let texts = [
      #""""#, #""queue""#, #""\"queue\":[""#, #""\\""#, #""a,b}]""#, #""\u0022""#, #""é""#,
    ]
    switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
    case 0: return ["null", "true", "-1.5e3", "0"].randomElement(using: &random) ?? "0"
    case 1, 2: return texts.randomElement(using: &random) ?? "0"
    case 3, 4:
      let fields = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        let name = [#""queue""#, #""track""#, #""x""#].randomElement(using: &random) ?? ""
        return "\(name) :\(value(depth: depth - 1, &random))"
      }
      return "{\(fields.joined(separator: " , "))}"
    default:
      let rows = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        value(depth: depth - 1, &random)
      }
      return "[\(rows.joined(separator: ","))]"
    }
  }

  @Test(arguments: 0..<40)
  func `the queue is cut out whole, wherever it stands`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      let junk = (0..<Int.random(in: 0...3, using: &random)).map { number in
        "\"x\(number)\": \(Self.value(depth: 3, &random))"
      }
      let rows = (0..<Int.random(in: 0...3, using: &random)).map { number in
        "{\"id\":\"t\(number)\",\"extra\":\(Self.value(depth: 2, &random))}"
      }
      let queue = "[\(rows.joined(separator: ","))]"
      let fields = (junk + [#""currentTimestamp":7"#, "\"queue\" : \(queue)"])
        .shuffled(using: &random)
      let text = " {\(fields.joined(separator: " , "))} "
      guard case .state(let received) = ServerMessage(decoding: bytes(text)) else {
        Issue.record("seed \(seed): \(text)")
        continue
      }
      #expect(received.state == ChannelState(currentTimestamp: 7), "seed \(seed)")
      #expect(received.queueText == QueueText(bytes(queue)), "seed \(seed)")
      #expect(try received.queueText?.decode().elements.count == rows.count, "seed \(seed)")
    }
  }

  @Test func `every beginning of a frame is broken, none crashes`() throws {
    let whole = try Fixture.bytes("wire/state-full.json")
    let end = try #require(whole.lastIndex(of: UInt8(ascii: "}")))
    for count in 0..<end {
      guard case .broken = ServerMessage(decoding: Array(whole[..<count])) else {
        Issue.record("\(count) bytes are no frame")
        return
      }
    }
  }

  @Test(arguments: 0..<10)
  func `a damaged frame never crashes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for file in ["state-full", "state-tricky-strings", "channel-list"] {
      let whole = try Fixture.bytes("wire/\(file).json")
      for _ in 0..<200 {
        var damaged = whole
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          damaged[Int.random(in: damaged.indices, using: &random)] =
            [0, 0x22, 0x5C, 0x5B, 0x5D, 0x7B, 0x7D, 0x2C, 0x3A, 0xFF].randomElement(using: &random)
            ?? 0
        }
        if case .state(let received) = ServerMessage(decoding: damaged) {
          _ = try? received.queueText?.decode()
        }
      }
    }
  }

  @Test(arguments: ["[", #"{"x":"#, #"{"track":{"id":"a"},"x":["#, #"{"queue":["#])
  func `a bottomless frame is broken`(opening: String) {
    let deep = Array(repeatElement(bytes(opening), count: 100_000).joined())
    guard case .broken = ServerMessage(decoding: deep) else {
      Issue.record("not broken")
      return
    }
  }

  @Test func `a bottomless queue loses the queue, not the state`() {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    let text = #"{"track":{"id":"a"},"queue":"# + deep + "}"
    guard case .state(let received) = ServerMessage(decoding: bytes(text)) else {
      Issue.record("no state")
      return
    }
    #expect(received.state.track?.id == "a")
    #expect(throws: WireError.self) { try received.queueText?.decode() }
  }

  @Test func `the last of two queues counts`() throws {
    let text = #"{"queue":[{"id":"a"}],"channelId":"c","queue":[{"id":"b"}]}"#
    guard case .state(let received) = ServerMessage(decoding: bytes(text)) else {
      Issue.record("no state")
      return
    }
    #expect(try received.queueText?.decode().elements == [Track(id: "b")])
    #expect(received.state.queue == nil)
  }

  @Test(arguments: [
    "[]", " [ ] ", #"[{"id":"a","title":"T","duration":3.5,"available":false}]"#,
    #"[{"id":"a"},{"id":"b","title":"\u00e9 \"quoted\"","artist":null,"x":{"y":[1]}}]"#,
    #"[{"id":"a"},{"title":"no id"},7,null,{"id":"c"}]"#, #"[{"id":3}]"#, #"[{"id":"a","id":"b"}]"#,
    #"{"id":"a"}"#, "null", "[{\"id\":\"a\"},]", #"[{"id":"a"}"#, #"[{"id" "a"}]"#,
  ])
  func `a queue is what the decoder takes it for, however it is written`(text: String) {
    let slow = try? WireJSON.decode(TolerantList<Track>.self, from: bytes(text))
    let fast = try? QueueText(bytes(text)).decode()
    #expect(fast == slow)
  }

  @Test func `a queue of ten thousand rows is equal to itself and to no other`() throws {
    let tracks = (0..<10_000).map { Track(id: TrackID("sha256:\($0)"), title: "Title \($0)") }
    let first = try WireJSON.encode(ChannelState(channelID: "c", queue: tracks))
    let second = try WireJSON.encode(ChannelState(channelID: "c", queue: tracks))
    let other = try WireJSON.encode(ChannelState(channelID: "c", queue: tracks.dropLast()))
    let texts = [first, second, other].map { frame -> QueueText? in
      guard case .state(let received) = ServerMessage(decoding: frame) else { return nil }
      return received.queueText
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0] != texts[2])
    #expect(try texts[0]?.decode().elements == tracks)
  }
}
