import Platform
import Testing

@Suite struct MailboxTests {
  @Test func `messages from another thread arrive in order`() {
    let mailbox = Mailbox<Int>()
    let writer = NamedThread(name: "writer") { for number in 0..<1000 { mailbox.post(number) } }
    var seen: [Int] = []
    while seen.count < 1000 { seen += mailbox.take() }
    writer.join()
    #expect(seen == Array(0..<1000))
  }

  @Test func `waiting ends at the timeout with nothing`() {
    let mailbox = Mailbox<Int>()
    #expect(mailbox.take(timeout: .milliseconds(1)).isEmpty)
  }
}
