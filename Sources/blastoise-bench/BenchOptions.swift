/// What the command line asks for.
struct BenchOptions {
  /// A release build of `blastoise`, nil where none is named.
  var program: String?
  private var groups: [String] = []

  init(_ arguments: [String]) {
    // A path has a slash in it, a group's name has none.
    program = arguments.first { $0.contains("/") }
    groups = arguments.filter { !$0.contains("/") }
  }

  func wants(_ group: String) -> Bool {
    groups.isEmpty || groups.contains(group)
  }
}
