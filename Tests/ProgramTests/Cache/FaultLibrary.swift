import Glibc
import Storage
import TestSupport

/// The library of Tests/Faults, which makes system calls of a program fail, and how it is told to.
enum FaultLibrary {
  /// What happens to a call.
  enum Kind: Sendable, CustomStringConvertible {
    /// It fails with a number of errno.
    case fails(Int32)
    /// A write takes half of what it is given.
    case short
    /// The process is killed before the call.
    case kill
    /// A write takes half of what it is given, then the process is killed.
    case torn

    var word: String {
      switch self {
      case .fails(let code): "\(code)"
      case .short: "short"
      case .kill: "kill"
      case .torn: "torn"
      }
    }

    var description: String {
      switch self {
      case .fails(ENOSPC): "ENOSPC"
      case .fails(EIO): "EIO"
      case .fails(EMFILE): "EMFILE"
      case .fails(let code): "errno \(code)"
      default: word
      }
    }
  }

  /// Which calls it happens to.
  struct Plan: Sendable, CustomStringConvertible {
    var kind: Kind
    /// The first call concerned, counted from 1; 0 is none.
    var at = 0
    /// How many calls; 0 is all from there on.
    var count = 1
    /// Which calls count, as faults.c names them; empty is all that change something.
    var calls = ""

    var description: String {
      "\(kind) at \(calls.isEmpty ? "call" : calls) \(at)" + (count == 0 ? " and ever after" : "")
    }
  }

  /// The built library; nil where no C compiler is there.
  ///
  /// Swift brings clang along, so one is there wherever these tests are built.
  static let path: String? = {
    guard let folder = try? TemporaryFolder() else { return nil }
    kept = folder
    let library = folder.file("faults.so")
    let words = [
      "-shared", "-fPIC", "-O1", "-o", library, "\(Fixture.root)/Tests/Faults/faults.c", "-ldl",
    ]
    for compiler in compilers where access(compiler, X_OK) == 0 {
      let variables = ["PATH": folders.joined(separator: ":"), "TMPDIR": folder.path]
      guard let pid = try? spawn(compiler, words, variables, { _ in }) else { continue }
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
      if status == 0 { return library }
    }
    return nil
  }()

  private static let folders: [String] = {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").map(String.init)
  }()

  /// Where a compiler may be: on the path, or beside the `swift` that is on the path as a link.
  private static var compilers: [String] {
    let beside = folders.compactMap { folder -> String? in
      guard let real = realpath("\(folder)/swift", nil) else { return nil }
      defer { free(real) }
      return Folder.parent(of: String(cString: real))
    }
    return (folders + beside).map { "\($0)/clang" } + folders.map { "\($0)/cc" }
  }

  // SAFETY: written once, inside the initialiser of `path`, and never read: it keeps the folder.
  nonisolated(unsafe) private static var kept: TemporaryFolder?

  /// The environment of a program that meets a plan in a folder; `log` is a file that gets a line for
  /// each call that counts.
  static func variables(
    _ plan: Plan, in folder: String, log: String? = nil
  ) throws -> [String: String] {
    guard let path else { throw ProgramError(what: "no C compiler", output: "", errors: "") }
    var variables = [
      "LD_PRELOAD": path, "FAULT_FOLDER": folder, "FAULT_KIND": plan.kind.word,
      "FAULT_AT": "\(plan.at)", "FAULT_COUNT": "\(plan.count)", "FAULT_CALLS": plan.calls,
    ]
    variables["FAULT_LOG"] = log
    return variables
  }
}
