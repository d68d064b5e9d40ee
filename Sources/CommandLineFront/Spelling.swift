/// Guesses what somebody meant to type.
enum Spelling {
  /// The candidate that needs the fewest corrections, at most a third of the word's length
  /// (and one for short words); nil where none is near.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    if word.isEmpty { return nil }
    let limit = max(1, word.count / 3)
    let rated = candidates.sorted().map { (distance(word, $0), $0) }
    guard let best = rated.min(by: { $0.0 < $1.0 }), best.0 <= limit else { return nil }
    return best.1
  }

  /// How many letters to insert, drop, change or swap with their neighbour.
  static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first), Array(second))
    var older: [Int] = []
    var previous = Array(0...second.count)
    for row in first.indices {
      var current = [row + 1]
      for column in second.indices {
        let change = previous[column] + (first[row] == second[column] ? 0 : 1)
        var best = min(change, previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          best = min(best, older[column - 1] + 1)
        }
        current.append(best)
      }
      (older, previous) = (previous, current)
    }
    return previous[second.count]
  }
}
