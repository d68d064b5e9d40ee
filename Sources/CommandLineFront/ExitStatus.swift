/// How the program ends: the codes of sysexits.h, as docs/exit-codes.md lists them.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case done = 0
  case usage = 64
  case data = 65
  case notThere = 66
  case noHost = 68
  case unavailable = 69
  case bug = 70
  case system = 71
  case cannotCreate = 73
  case inputOutput = 74
  case tryAgain = 75
  case protocolBroken = 76
  case notPermitted = 77
  case configuration = 78
  case interrupted = 130
  case terminated = 143

  /// When the program ends so, in a few words.
  var meaning: String {
    switch self {
    case .done: "Done"
    case .usage: "A command line that makes no sense, or a question nobody can answer"
    case .data: "Data that is not what it should be"
    case .notThere: "Something named is not there"
    case .noHost: "The host name is unknown"
    case .unavailable: "A server, program or listener is not available"
    case .bug: "A bug"
    case .system: "The system refuses"
    case .cannotCreate: "Cache or state can't be written"
    case .inputOutput: "A device or disk failed"
    case .tryAgain: "Try again"
    case .protocolBroken: "The server said something outside the protocol, or is not trusted"
    case .notPermitted: "Sign in first, or not allowed"
    case .configuration: "An unreadable configuration or session"
    case .interrupted: "Interrupted by Ctrl-C"
    case .terminated: "Ended by SIGTERM"
    }
  }
}

/// What went wrong, in one word for programs: the `code` under `--json`, and the status it ends with.
enum FailureCode: String, CaseIterable, Sendable {
  case usage
  case ambiguous
  case needsYes = "needs_yes"
  case badAudio = "bad_audio"
  case mismatch
  case badFile = "bad_file"
  case tooLarge = "too_large"
  case lost
  case notFound = "not_found"
  case outOfRange = "out_of_range"
  case noFile = "no_file"
  case noHost = "no_host"
  case unreachable
  case serverError = "server_error"
  case missingProgram = "missing_program"
  case noListener = "no_listener"
  case bug
  case system
  case noRoom = "no_room"
  case device
  case timeout
  case incomplete
  case conflict
  case unconfirmed
  case alreadyRunning = "already_running"
  case protocolBroken = "protocol"
  case untrusted
  case signInNeeded = "sign_in_needed"
  case forbidden
  case kicked
  case config

  /// The status the program ends with.
  var status: ExitStatus {
    switch self {
    case .usage, .ambiguous, .needsYes: .usage
    case .badAudio, .mismatch, .badFile, .tooLarge, .lost: .data
    case .notFound, .outOfRange, .noFile: .notThere
    case .noHost: .noHost
    case .unreachable, .serverError, .missingProgram, .noListener: .unavailable
    case .bug: .bug
    case .system: .system
    case .noRoom: .cannotCreate
    case .device: .inputOutput
    case .timeout, .incomplete, .conflict, .unconfirmed, .alreadyRunning: .tryAgain
    case .protocolBroken, .untrusted: .protocolBroken
    case .signInNeeded, .forbidden, .kicked: .notPermitted
    case .config: .configuration
    }
  }
}
