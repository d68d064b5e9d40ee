import RoomProtocol
import TestSupport
import Testing

@Suite struct NaturalOrderTests {
  private func sorted(_ names: [String]) -> [String] {
    var order = NaturalOrder()
    for name in names { order.add(name) }
    return order.places.map { names[$0] }
  }

  @Test func `numbers are ordered by what they say`() {
    let names = [
      "", "01 One", "2 Two", "02b", "10 Ten", "100", "a/1", "a 2", "Track 2", "track 10",
      "track 10b", "Zoo", "éa",
    ]
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20 {
      #expect(sorted(names.shuffled(using: &random)) == names)
    }
  }

  @Test(
    arguments: [
      ["Track 002", "tRACK 2"], ["ÉTÉ", "été"], ["ΣΟΦΙΑ", "σοφια"], ["ЖУК", "жук"],
      ["ẞ", "ß"], ["Ａ", "ａ"], ["𐐀", "𐐨"], ["İ", "i\u{307}"], ["東京 01", "東京 1"], ["0", "00"],
    ])
  func `case and leading zeros do not count: what is the same keeps its order`(names: [String]) {
    #expect(sorted(names) == names)
    #expect(sorted(names.reversed()) == names.reversed())
    #expect(sorted([names[0] + "b", names[1] + "a"]) == [names[1] + "a", names[0] + "b"])
  }

  @Test func `lower case is Unicode's`() {
    var random = SeededGenerator(seed: 6)
    let letters = (UInt32(0x20)...0x1F000).compactMap(Unicode.Scalar.init).filter {
      !(0x30...0x39).contains($0.value) && $0 != "/"
    }
    for _ in 0..<2000 {
      let text = String(
        (0..<3).map { _ in Character(letters.randomElement(using: &random) ?? "a") })
      // The letter after all others keeps the two apart where they are the same but for case.
      #expect(sorted([text + "b", text.lowercased() + "a"]).first == text.lowercased() + "a")
    }
  }

  @Test func `names that begin alike are ordered by what follows`() {
    let names = ["", "a", "a longer", "a longer name", "a longer name 1", "a longer name 2/b"]
    #expect(sorted(names.reversed()) == names)
    #expect(sorted(["long name \u{0}b", "long name", "long name \u{0}"]).first == "long name")
  }
}
