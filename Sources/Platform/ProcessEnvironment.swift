import CPlatform
import Glibc

/// The environment's variables, as the program was started with them.
package enum ProcessEnvironment {
  /// Reads all of them.
  ///
  /// Threading: not while another thread changes the environment; nothing of ours does.
  ///
  /// - Returns: the values by their names; of a name that stands twice the first counts, as for
  ///   getenv(3). Bytes that are no UTF-8 are repaired. Where `HOME` is missing or empty (a service,
  ///   `env -i`) it is the user's own by the system's accounts, if there is one.
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
    if variables["HOME"]?.isEmpty != false { variables["HOME"] = home }
    return variables
  }

  /// The user's home by the system's accounts.
  private static var home: String? {
    guard let account = getpwuid(geteuid()), let folder = account.pointee.pw_dir else { return nil }
    return String(cString: folder)
  }
}
