/// The events of `listen --json` as docs/json.md has them.
package enum DocumentedEvents {
  /// The keys of each event by its name, without `event` and `at`, which all have.
  ///
  /// - Throws: `FixtureError` where the page is not there.
  package static func keys() throws -> [String: Set<String>] {
    let page = String(
      decoding: try Fixture.bytes(at: "\(Fixture.root)/docs/json.md"), as: UTF8.self)
    let events = page.split(separator: "## Events").last ?? ""
    var keys: [String: Set<String>] = [:]
    for row in events.split(separator: "\n") where row.hasPrefix("| `") {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      // What follows a colon are values, not keys.
      let names = words(cells[2].split(separator: ":").first ?? "")
      for event in words(cells[1]) { keys[event] = Set(names) }
    }
    return keys
  }

  private static func words(_ cell: Substring) -> [String] {
    cell.matches(of: /`([a-z_]+)`/).map { String($0.1) }
  }
}
