import Glibc
import RoomProtocol
import Synchronization
import TestSupport
import Testing

@testable import Control

@Suite(.timeLimit(.minutes(3))) struct ControlServerTests {
  @Test func `a client is greeted, asks, and is answered in order`() async throws {
    let rig = try ControlRig()
    let client = try await rig.connect()
    #expect(client.hello["protocol"].integer == 1)
    let first = try await client.ask(JSONValue(verb: "volume", [.init("to", .integer(4))]))
    #expect(first["answer"].text == "volume")
    #expect(first["body"]["to"].integer == 4)
    let second = try await client.ask(JSONValue(verb: "fail", [.init("id", .text("a\"b"))]))
    #expect(
      ControlFailure(answer: second)
        == ControlFailure("not_found", "no such thing", hint: "none", exit: 66))
    #expect(second["id"].text == "a\"b", "the mark comes back")
  }

  @Test func `socket and folder are ours alone`() async throws {
    let rig = try ControlRig()
    #expect(permissions(of: rig.server.place.socketPath) == 0o600)
    #expect(permissions(of: rig.server.place.lockPath) == 0o600)
    #expect(permissions(of: rig.server.place.folder) == 0o700)
  }

  @Test func `requests in one packet are answered one after the other`() async throws {
    let rig = try ControlRig()
    let client = try rig.connectRaw()
    client.send("{\"do\": \"a\"}\n{\"do\": \"b\"}\r\n\n{\"do\": \"c\", \"unknown\": [1]}")
    client.send("\n")
    client.finish()
    let lines = await client.readAll().split(separator: "\n")
    #expect(
      lines.map { $0.prefix(14) }.dropFirst() == [
        "{\"answer\": \"a\"", "{\"answer\": \"b\"", "{\"answer\": \"c\"",
      ])
  }

  @Test func `what somebody asks for and leaves is done all the same`() async throws {
    let rig = try ControlRig()
    do {
      let client = try rig.connectRaw()
      client.send("{\"do\": \"first\"}\n{\"do\": \"second\"}\n")
    }
    try await eventually("both requests") { rig.asked.withLock { $0 == ["first", "second"] } }
  }

  @Test func `garbage gets an error, and the line after it an answer`() async throws {
    let rig = try ControlRig()
    let client = try rig.connectRaw()
    client.send([0xFF, 0, 1, 10])
    client.send("[]\n{}\n{\"do\": 3}\n{\"do\": \"a\"}\n")
    client.finish()
    let lines = await client.readAll().split(separator: "\n")
    #expect(lines.count == 6)
    for line in lines.dropFirst().dropLast() {
      let failure = JSONValue(json: line.utf8).flatMap(ControlFailure.init(answer:))
      #expect(failure?.code == "usage" && failure?.exit == 64, "\(line)")
    }
    #expect(lines.last?.hasPrefix("{\"answer\": \"a\"") == true)
  }

  @Test func `our own user and root are let in, and nobody else`() {
    #expect(ControlLoop.isWelcome(geteuid()))
    #expect(ControlLoop.isWelcome(0))
    #expect(!ControlLoop.isWelcome(geteuid() + 1))
  }

  @Test func `an endless line is refused, and the client let go`() async throws {
    var limits = ControlServer.Limits()
    limits.line = 1000
    let rig = try ControlRig(limits: limits)
    let flood = try rig.connectRaw()
    flood.send([UInt8](repeating: UInt8(ascii: "x"), count: 5000))
    #expect(await flood.readAll().contains("too long"))
    let other = try await rig.connect()
    #expect(try await other.ask(JSONValue(verb: "a"))["answer"].text == "a")
  }

  @Test func `a client has one request at a time, and blocks nobody else`() async throws {
    let rig = try ControlRig()
    let flood = try rig.connectRaw()
    flood.send("{\"do\": \"wait\"}\n" + String(repeating: "{\"do\": \"more\"}\n", count: 10_000))
    try await eventually("the first request") { rig.waiting.withLock { !$0.isEmpty } }
    let other = try await rig.connect()
    #expect(try await other.ask(JSONValue(verb: "a"))["answer"].text == "a")
    #expect(rig.asked.withLock { $0 } == ["wait", "a"])
    rig.waiting.withLock { $0 }.first?.answer()
    // Each waits for the answer to the one before, in the queue of all tests: a few will do.
    try await eventually("the rest") { rig.asked.withLock { $0.count > 5 } }
    flood.finish()
  }

  @Test func `a slow reader is told and dropped, and costs no more than the limit`() async throws {
    let rig = try ControlRig()
    let slow = try rig.connectRaw()
    slow.send("{\"do\": \"follow\"}\n")
    try await eventually("the follower") { rig.followers.withLock { !$0.isEmpty } }
    let connection = try #require(rig.followers.withLock { $0.first })
    let line = String(repeating: "x", count: 1000)
    for _ in 0..<4000 { connection.send(line) }
    #expect(!connection.isOpen)
    let text = await slow.readAll()
    #expect(text.utf8.count < ControlConnection.backlogLimit)
    #expect(text.split(separator: "\n").last?.contains("too_slow") == true)
    // No line is torn.
    for line in text.split(separator: "\n").dropFirst(2).dropLast() { #expect(line.count == 1000) }
  }

  @Test func `one line beyond the limit is sent: a large queue`() async throws {
    let rig = try ControlRig()
    let client = try await rig.connect()
    _ = try await client.ask(JSONValue(verb: "follow"))
    let connection = try #require(rig.followers.withLock { $0.first })
    let large = [UInt8](repeating: UInt8(ascii: "q"), count: 3 << 20)
    connection.send(large)
    for _ in 0..<10 { connection.send("small") }
    // Longer than the tests take together: a wait that is over hangs up, whatever came with it.
    #expect(try await client.next(within: .seconds(600)) == large)
    #expect(try await client.next(within: .seconds(600)) == Array("small".utf8))
    #expect(connection.isOpen)
  }

  @Test func `a client that takes nothing is let go after a while`() async throws {
    var limits = ControlServer.Limits()
    limits.stall = .milliseconds(50)
    let rig = try ControlRig(limits: limits)
    let stuck = try rig.connectRaw()
    stuck.send("{\"do\": \"follow\"}\n")
    try await eventually("the follower") { rig.followers.withLock { !$0.isEmpty } }
    let connection = try #require(rig.followers.withLock { $0.first })
    connection.send([UInt8](repeating: 120, count: 900_000))
    try await eventually("its end") { !connection.isOpen }
    stuck.finish()
  }

  @Test func `beyond the limit the longest idle is let go, and followers never`() async throws {
    var limits = ControlServer.Limits()
    limits.clients = 2
    let rig = try ControlRig(limits: limits)
    let follower = try rig.connectRaw()
    follower.send("{\"do\": \"follow\"}\n")
    #expect(await follower.waits(for: "answer"))
    let idle = try rig.connectRaw()
    #expect(await idle.waits(for: "hello"))
    let second = try rig.connectRaw()
    #expect(await idle.readAll().isEmpty)
    second.send("{\"do\": \"follow\"}\n")
    #expect(await second.waits(for: "answer"))
    #expect(try await rig.connectRaw().readAll().contains("busy"))
    #expect(rig.followers.withLock { $0.allSatisfy(\.isOpen) })
    for client in [follower, second] { client.finish() }
  }

  @Test func `closing ends requests and clients, and leaves nothing behind`() async throws {
    let rig = try ControlRig()
    let client = try rig.connectRaw()
    #expect(await client.waits(for: "hello"))
    rig.server.close()
    #expect(await client.readAll().isEmpty)
    #expect(permissions(of: rig.server.place.socketPath) == nil)
    #expect(permissions(of: rig.server.place.lockPath) == nil)
    #expect(try await ControlClient.connect(to: rig.server.place) == nil)
  }
}
