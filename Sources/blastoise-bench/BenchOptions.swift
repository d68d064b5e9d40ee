/// What the command line asks for.
struct BenchOptions {
  /// A release build of `blastoise`, nil where none is named.
  var program: String?
  private var groups: [String] = []

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--program" {
        program = rest.popFirst()
      } else {
        groups.append(argument)
      }
    }
  }

  func wants(_ group: String) -> Bool {
    groups.isEmpty || groups.contains(group)
  }
}
