import PCM
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct ConveyorTests {
  private func marker(_ number: Int64) -> Marker {
    Marker(
      generation: UInt64(number), ringIndex: number * 3, trackFrame: number * 5,
      outputFrame: number * 7, kind: number % 2 == 0 ? .start : .end)
  }

  @Test func `a full queue refuses and keeps what it has`() {
    let queue = Conveyor<Marker>(minimumCapacity: 3)
    #expect(queue.capacity == 4)
    for number in 0..<4 { #expect(queue.push(marker(Int64(number)))) }
    #expect(!queue.push(marker(4)))
    #expect(queue.peek() == marker(0))
    #expect(queue.pop() == marker(0))
    #expect(queue.push(marker(4)))
    #expect((1...4).map { _ in queue.pop() } == (1...4).map { marker($0) })
    #expect(queue.pop() == nil)
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `any order of pushes and pops agrees with an array`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let queue = Conveyor<Marker>(minimumCapacity: 8)
    var model: [Marker] = []
    for step in 0..<1000 {
      if Bool.random(using: &random) {
        let taken = queue.push(marker(Int64(step)))
        #expect(taken == (model.count < 8))
        if taken { model.append(marker(Int64(step))) }
      } else {
        #expect(queue.peek() == model.first)
        #expect(queue.pop() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(queue.count == model.count)
    }
  }

  @Test(.timeLimit(.minutes(3))) func `two threads pass every marker once and in order`() {
    let queue = Conveyor<Marker>(minimumCapacity: 16)
    let total: Int64 = 50_000
    let producer = NamedThread(name: "producer") {
      var next: Int64 = 0
      while next < total {
        let pushed = queue.push(
          Marker(generation: 1, ringIndex: next, trackFrame: -next, outputFrame: next ^ 0x55))
        if pushed { next += 1 } else { pauseThread() }
      }
    }
    var wrong = 0
    var next: Int64 = 0
    while next < total {
      guard let marker = queue.pop() else {
        pauseThread()
        continue
      }
      let same =
        marker.ringIndex == next && marker.trackFrame == -next && marker.outputFrame == next ^ 0x55
      if !same { wrong += 1 }
      next += 1
    }
    producer.join()
    #expect(wrong == 0)
  }
}
