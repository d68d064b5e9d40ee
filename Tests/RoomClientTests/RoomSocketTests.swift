import RoomClient
import RoomProtocol
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct RoomSocketTests {
  @Test func `messages arrive decoded, in order, stamped, with unknown ones among them`()
    async throws
  {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard let head = connection.readHead() else { return }
      connection.acceptWebSocket(head, headers: ["Set-Cookie: blastoise_session=guest; HttpOnly"])
      connection.writeFrame(1, Array("{\"track\":null,\"queue\":[]}".utf8))
      connection.writeFrame(1, Array("{\"type\":\"new_thing\"}".utf8))
      connection.writeFrame(1, Array("no json".utf8))
      connection.writeFrame(1, Array("{\"type\":\"kick\",\"reason\":\"bye\"}".utf8))
      connection.writeFrame(8, [0x03, 0xF4])
      connection.waitForEnd()
    }
    try await withSession(script) { session, _ in
      let start = ContinuousClock.now
      var messages: [ReceivedMessage] = []
      var isOpen = false
      for await event in session.join("lobby").events {
        switch event {
        case .opened: isOpen = true
        case .message(let message): messages.append(message)
        case .ended(let end):
          #expect(end.wasOpen && end.isRestart && end.error == nil)
        }
      }
      #expect(isOpen)
      guard messages.count == 4, case .state(let state) = messages[0].message else {
        Issue.record("\(messages)")
        return
      }
      #expect(state.queueText != nil)
      #expect(messages[1].message == .unknown(type: "new_thing"))
      #expect(messages[2].message == .broken(reason: "not JSON"))
      #expect(messages[3].message == .kick(reason: "bye"))
      #expect(messages.allSatisfy { start < $0.at && $0.at < ContinuousClock.now })
      // The handshake's cookie goes to this host and no other.
      let server = session.server.base
      #expect(session.http.cookies.header(for: server) == nil, "its path is that of the socket")
      let below = server.appending(path: "/api/channels/lobby/x")
      #expect(session.http.cookies.header(for: below) == "blastoise_session=guest")
    }
  }

  @Test func `actions are sent as the protocol names them`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard let head = connection.readHead() else { return }
      connection.acceptWebSocket(head)
      let expected = ["{\"action\":\"pause\"}", "{\"action\":\"switch\",\"channelId\":\"b\"}"]
      for text in expected {
        let frame = connection.readFrame()
        #expect(frame.map { String(decoding: $0.payload, as: UTF8.self) } == text)
      }
      #expect(connection.readFrame()?.opcode == 8)
      connection.writeFrame(8, [0x03, 0xE8])
      connection.waitForEnd()
    }
    try await withSession(script) { session, _ in
      let socket = session.join("lobby")
      var ends: [RoomSocketEnd] = []
      for await event in socket.events {
        switch event {
        case .opened:
          socket.send(.pause)
          socket.send(.switch(to: "b"))
          socket.send(.seek(timestamp: .nan))
          // What was sent before a close is written before it.
          socket.close()
        case .ended(let end): ends.append(end)
        default: break
        }
      }
      #expect(ends.map(\.wasOpen) == [true])
    }
  }

  @Test func `a refused socket tells the status`() async throws {
    let script: @Sendable (RawConnection) -> Void = { connection in
      guard connection.readHead() != nil else { return }
      connection.answer("401 Unauthorized", body: "{\"error\":\"sign in\"}")
    }
    try await withSession(script) { session, _ in
      for await event in session.join("lobby").events {
        guard case .ended(let end) = event else { continue }
        #expect(end.refusal == 401)
        #expect(!end.wasOpen)
      }
    }
  }
}
