/// Finds what people mean by an id, a name, or a unique beginning of either.
package enum NameLookup<Item> {
  /// Exactly one is meant.
  case found(Item)
  /// Several are: the candidates, in their order.
  case ambiguous([Item])
  /// None is.
  case missing

  /// Looks a text up.
  ///
  /// A whole id goes before a whole name, a whole name before a beginning. Letters' case counts in
  /// names only where several differ in nothing else.
  ///
  /// - Parameters:
  ///   - text: what was typed.
  ///   - items: all there are.
  ///   - id: an item's id.
  ///   - name: an item's name.
  package init(
    _ text: String, in items: [Item], id: (Item) -> String, name: (Item) -> String
  ) {
    let wanted = text.lowercased()
    // Whole ids first, then whole names, then beginnings of either.
    func rank(_ item: Item) -> Int? {
      if text.isEmpty { return nil }
      if id(item) == text { return 0 }
      if name(item) == text { return 1 }
      let name = name(item).lowercased()
      if name == wanted { return 2 }
      return id(item).hasPrefix(text) || name.hasPrefix(wanted) ? 3 : nil
    }
    let ranks = items.map(rank)
    let best = ranks.compactMap { $0 }.min()
    let hits = zip(items, ranks).filter { $0.1 != nil && $0.1 == best }.map(\.0)
    if let first = hits.first {
      self = hits.count == 1 ? .found(first) : .ambiguous(hits)
      return
    }
    self = .missing
  }
}

extension NameLookup where Item == ChannelInfo {
  /// Looks up a channel by id, name, or a unique beginning of either.
  package init(_ text: String, in channels: [ChannelInfo]) {
    self.init(text, in: channels, id: { $0.id.rawValue }, name: { $0.name })
  }
}

extension [ChannelInfo] {
  /// The channel that is meant where nobody names one: the one joined last where it is still there,
  /// else the server's default, else the first.
  package func usual(last: ChannelID?) -> ChannelInfo? {
    first { $0.id == last } ?? first(where: \.isDefault) ?? first
  }
}
