import CPlatform

/// The environment's variables, as the program was started with them.
package enum ProcessEnvironment {
  /// Reads all of them.
  ///
  /// Threading: not while another thread changes the environment; nothing of ours does.
  ///
  /// - Returns: the values by their names; of a name that stands twice the first counts, as for
  ///   getenv(3). Bytes that are no UTF-8 are repaired.
  package static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    guard var entry = cplatform_environment() else { return variables }
    while let text = entry.pointee {
      let words = String(cString: text).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if words.count == 2, variables[String(words[0])] == nil {
        variables[String(words[0])] = String(words[1])
      }
      entry += 1
    }
    return variables
  }
}
