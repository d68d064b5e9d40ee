/// A list from the wire that lost its unreadable elements and nothing else.
package struct TolerantList<Element> {
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

extension TolerantList: WireReadable where Element: WireReadable {
  /// Reads an array, leaving out what can't be read.
  ///
  /// - Parameter wire: the array.
  /// - Throws: `WireError` when it is no array.
  package init(wire: JSONValue) throws(WireError) {
    guard case .list(let values) = wire else { throw .unreadable(path: []) }
    elements = values.compactMap { try? Element(wire: $0) }
    droppedElements = values.count - elements.count
  }
}

extension TolerantList: WireWritable where Element: WireWritable {
  /// Writes the elements as an array.
  package var wire: JSONValue { elements.wire }
}
