import Glibc

/// Starts a child with no signal blocked or ignored, whatever other tests of the process have done.
///
/// - Parameters:
///   - path: the program.
///   - words: its arguments.
///   - environment: all its variables.
///   - flags: what `posix_spawn` is to do beside that.
///   - arrange: says what its descriptors are.
/// - Returns: its number; it is to be waited for.
/// - Throws: `ProgramError` when the system refuses.
func spawn(
  _ path: String, _ words: [String], _ environment: [String: String], flags: Int32 = 0,
  _ arrange: (inout posix_spawn_file_actions_t) -> Void
) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  arrange(&actions)
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  sigemptyset(&none)
  var all = sigset_t()
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags))
  var arguments = ([path] + words).map { strdup($0) } + [nil]
  var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for text in arguments + variables { free(text) } }
  var pid = pid_t()
  let code = posix_spawn(&pid, path, &actions, &attributes, &arguments, &variables)
  guard code == 0 else { throw ProgramError(what: "no \(path): \(code)", output: "", errors: "") }
  return pid
}
