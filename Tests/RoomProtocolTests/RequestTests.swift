import RoomProtocol
import Testing

@Suite struct QueueEditTests {
  @Test(
    arguments: [
      (QueueEdit.set(["a", "b"]), #"{"set":["a","b"]}"#),
      (.set([]), #"{"set":[]}"#),
      (.add(["a"]), #"{"add":["a"]}"#),
      (.add(["a"], insertAt: 2), #"{"add":["a"],"insertAt":2}"#),
      (.remove([3, 4]), #"{"remove":[3,4]}"#),
      (.move([5, 6], to: 1), #"{"move":[5,6],"to":1}"#),
    ] as [(QueueEdit, String)])
  func `an edit has exactly one form`(edit: QueueEdit, text: String) throws {
    #expect(try json(edit) == text)
    #expect(try read(QueueEdit.self, text) == edit)
  }

  @Test(arguments: [
    "{}", "[]", "null", #"{"set":["a"],"add":["b"]}"#, #"{"move":[1]}"#, #"{"move":[1],"to":"x"}"#,
    #"{"add":"a"}"#, #"{"add":[null]}"#, #"{"remove":["a"]}"#, #"{"remove":[1.5]}"#,
    #"{"add":["a"],"insertAt":"first"}"#, #"{"remove":[1e300]}"#, #"{"insertAt":1}"#,
  ])
  func `what is no edit is refused, not guessed`(text: String) {
    #expect(throws: WireError.self) { try read(QueueEdit.self, text) }
  }
}

@Suite struct ClientActionTests {
  @Test(
    arguments: [
      (ClientAction.switch(to: "abc123"), #"{"action":"switch","channelId":"abc123"}"#),
      (.pause, #"{"action":"pause"}"#),
      (.unpause, #"{"action":"unpause"}"#),
      (.seek(timestamp: 45.5), #"{"action":"seek","timestamp":45.5}"#),
      (.jump(index: 3), #"{"action":"jump","index":3}"#),
    ] as [(ClientAction, String)])
  func `an action is written as the protocol says`(action: ClientAction, text: String) throws {
    #expect(try json(action) == text)
    #expect(try read(ClientAction.self, text) == action)
  }

  @Test(arguments: [
    "{}", #"{"action":"dance"}"#, #"{"action":"seek"}"#, #"{"action":"jump","index":"x"}"#,
    #"{"action":"switch"}"#, #"{"action":5}"#, "[]",
  ])
  func `an unknown or incomplete action is refused`(text: String) {
    #expect(throws: WireError.self) { try read(ClientAction.self, text) }
  }
}

@Suite struct FetchAnswerTests {
  @Test(
    arguments: [
      (
        #"{"type":"single","id":"j","title":"T","queueType":"fast"}"#,
        FetchAnswer.single(id: "j", title: "T", queueType: "fast")
      ),
      (#"{"title":"T"}"#, .single(id: nil, title: "T", queueType: nil)),
      (#"{"type":"novel"}"#, .single(id: nil, title: nil, queueType: nil)),
      (
        #"{"success":true,"item":{"itemId":7,"name":"T"}}"#,
        .single(id: "7", title: "T", queueType: nil)
      ),
      (
        #"{"type":"playlist","title":"P","count":2,"items":[{"url":"u","title":"T"},{"id":"1"}],"requiresConfirmation":1}"#,
        .playlist(
          title: "P", items: TolerantList([FetchItem(url: "u", title: "T")], droppedElements: 1),
          requiresConfirmation: true)
      ),
    ] as [(String, FetchAnswer)])
  func `an answer without a known type is a single`(text: String, expected: FetchAnswer) throws {
    #expect(try read(FetchAnswer.self, text) == expected)
  }
}

@Suite struct ServerErrorTests {
  @Test(
    arguments: [
      (#"{"error":"no","message":"other"}"#, "no"),
      (#"{"message":"m"}"#, "m"),
      (#"{"error":null,"message":"m"}"#, "m"),
      (#"{"error":"","message":"m"}"#, "m"),
      (#"{"error":{"message":"deep"}}"#, "deep"),
      (#"{"error":5,"message":"m"}"#, "m"),
      (#""quoted""#, "quoted"),
      (" Not found \n", "Not found"),
      (#"{"detail":"d"}"#, #"{"detail":"d"}"#),
      ("", nil),
      (" \n ", nil),
    ] as [(String, String?)])
  func `an error is its JSON error, else its message, else its text`(
    body: String, expected: String?
  ) {
    #expect(ServerError.text(in: bytes(body)) == expected)
  }

  @Test func `an error is bounded and needs no UTF-8`() {
    #expect(ServerError.text(in: [UInt8](repeating: 0x41, count: 1_000_000))?.count == 1000)
    #expect(ServerError.text(in: [0xFF, 0x41]) == "\u{FFFD}A")
  }

  @Test func `our own errors read back`() throws {
    #expect(
      ServerError.text(in: try WireJSON.encode(ServerError("no \"such\" room")))
        == "no \"such\" room")
  }
}
