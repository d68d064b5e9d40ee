/// A list from the wire that lost its unreadable elements and nothing else.
package struct TolerantList<Element: Codable> {
  /// The readable elements, in order.
  package var elements: [Element]
  /// The number of elements that could not be read; report it once.
  package var droppedElements: Int

  /// Makes a list of elements that are known already.
  package init(_ elements: [Element], droppedElements: Int = 0) {
    self.elements = elements
    self.droppedElements = droppedElements
  }
}

extension TolerantList: Sendable where Element: Sendable {}
extension TolerantList: Equatable where Element: Equatable {}

extension TolerantList: Codable {
  /// An element, or the fact that it can't be read.
  private struct Attempt: Decodable {
    var value: Element?
    init(from decoder: any Decoder) { value = try? Element(from: decoder) }
  }

  /// Reads an array, leaving out what can't be read.
  ///
  /// - Parameter decoder: stands on the array.
  /// - Throws: `DecodingError` when it is no array.
  package init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    elements = []
    droppedElements = 0
    elements.reserveCapacity(container.count ?? 0)
    while !container.isAtEnd {
      if let value = try container.decode(Attempt.self).value {
        elements.append(value)
      } else {
        droppedElements += 1
      }
    }
  }

  /// Writes the elements as an array.
  ///
  /// - Parameter encoder: receives the array.
  /// - Throws: what an element throws.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(elements)
  }
}
