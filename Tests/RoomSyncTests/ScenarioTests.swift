import Foundation
import RoomProtocol
import RoomSync
import TestSupport
import Testing

@Suite struct ScenarioTests {
  static let files = try? FileManager.default
    .contentsOfDirectory(atPath: Fixture.path("scenarios"))
    .filter { $0.hasSuffix(".txt") }
    .sorted()

  @Test func `there are scenarios`() {
    #expect((Self.files ?? []).count >= 9)
  }

  @Test(arguments: files ?? [])
  func `the engine does what the table says`(file: String) throws {
    let start = ContinuousClock.now
    var engine = SyncEngine()
    for row in try Scenario(named: file).rows {
      guard row.event != "queue?" else {
        let queue = engine.queue.map { $0.map(\.id.rawValue).joined(separator: " ") }
        let text = queue.map { $0.isEmpty ? "empty" : $0 } ?? "not loaded"
        #expect(text == row.actions, "\(file):\(row.line)")
        continue
      }
      let instant = start + row.time
      let actions = engine.handle(try SyncEvent(row.event), at: instant)
      let text = actions.map { $0.text(at: instant) }.joined(separator: ", ")
      #expect((text.isEmpty ? "-" : text) == row.actions, "\(file):\(row.line) \(row.event)")
    }
  }
}
