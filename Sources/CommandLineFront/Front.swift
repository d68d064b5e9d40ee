import Glibc
import RoomProtocol

/// The command line: from its words to an exit status.
package enum Front {
  /// The program's version.
  package static let version = "0.1.0"
  /// When this version was made, as the man page tells it.
  static let date = "2026-11-30"

  /// Does what the command line asks for.
  ///
  /// SIGHUP, SIGINT and SIGTERM cancel the command's task; where it has not ended within 300 ms, or
  /// at a second signal, the process ends at once.
  ///
  /// - Parameters:
  ///   - arguments: the words after the program's name.
  ///   - environment: the environment's variables.
  /// - Returns: the exit status.
  package static func main(arguments: [String], environment: [String: String]) async -> Int32 {
    Console.occupyDescriptors()
    // A reader that has gone away is told by the write itself.
    signal(SIGPIPE, SIG_IGN)
    if arguments.isEmpty, isatty(STDOUT_FILENO) == 1 {
      let status = await answer(.help(.program), environment: environment)
      _ = show("\nlistening: \(await ListenerGlance.line(environment))")
      return status.rawValue
    }
    if let text = await hidden(arguments, environment) { return show(text).rawValue }
    // Also where the words make no sense, or ask for no command.
    let wantsJSON =
      arguments.contains("--json") || ArgumentReader.isOn(environment["BLASTOISE_JSON"])
    do throws(Diagnostic) {
      let request = try ArgumentReader.read(arguments, environment: environment)
      if request == .version, wantsJSON {
        return show(JSONValue.object([.init(key: "version", value: .text(version))]).description)
          .rawValue
      }
      return await answer(request, environment: environment).rawValue
    } catch {
      return report(error, on: Console(environment: environment), json: wantsJSON).rawValue
    }
  }

  /// The answer to what completion scripts and `make install` ask; nil for what people type.
  private static func hidden(
    _ arguments: [String], _ environment: [String: String]
  ) async -> String? {
    switch arguments.first {
    case CompletionReply.command:
      let reply = CompletionReply(environment: environment)
      return await reply.lines(Array(arguments.dropFirst())).joined(separator: "\n")
    case ManualPage.command: return ManualPage.text
    default: return nil
    }
  }

  private static func answer(
    _ request: Request, environment: [String: String]
  ) async -> ExitStatus {
    switch request {
    case .version:
      return show("blastoise \(version)")
    case .help(let topic):
      return show(Usage.text(topic))
    case .run(let invocation):
      let console = Console(environment: environment, isQuiet: invocation.has(.quiet))
      do throws(Diagnostic) {
        let context = try CommandContext(
          invocation: invocation, console: console, environment: environment)
        for warning in context.settings.warnings {
          console.note("blastoise: warning: \(warning)")
        }
        return await run(context)
      } catch {
        return report(error, on: console, json: invocation.has(.json))
      }
    }
  }

  private static func show(_ text: String) -> ExitStatus {
    let console = Console()
    console.print(text)
    return checked(.done, console, json: false)
  }

  /// The status of a command that has done its work: lost results are a failure too.
  private static func checked(
    _ status: ExitStatus, _ console: Console, json: Bool
  ) -> ExitStatus {
    guard let code = console.failure else { return status }
    return report(
      Diagnostic(errno: code, "cannot write to standard output"), on: console, json: json)
  }

  /// Tells a failure, as one line and a hint or as one JSON object, on standard error.
  static func report(_ diagnostic: Diagnostic, on console: Console, json: Bool) -> ExitStatus {
    if json {
      console.complain(diagnostic.json.description)
    } else {
      for line in diagnostic.lines { console.complain(line) }
    }
    return diagnostic.status
  }

  // MARK: - Running

  private static func run(_ context: CommandContext) async -> ExitStatus {
    let signals = Signals()
    defer { signals.stop() }
    let command = Task { await outcome(of: context) }
    let watcher = Task { await watch(signals, of: context, command) }
    let result = await command.value
    watcher.cancel()
    let stopped = await watcher.value
    TerminalEcho.restore()
    // Cut short, what the command says of it is no news.
    if let stopped { return stopped }
    switch result {
    case .success(let status):
      return checked(status, context.console, json: context.isJSON)
    case .failure(let diagnostic):
      return report(diagnostic, on: context.console, json: context.isJSON)
    }
  }

  private static func outcome(of context: CommandContext) async -> Result<ExitStatus, Diagnostic> {
    do {
      return .success(try await CommandTable.run(context))
    } catch {
      return .failure(context.explained(Diagnostic(describing: error)))
    }
  }

  /// Waits for a signal and cancels the command; returns the status it then ends with, nil where
  /// the command ended by itself.
  private static func watch(
    _ signals: Signals, of context: CommandContext,
    _ task: Task<Result<ExitStatus, Diagnostic>, Never>
  ) async -> ExitStatus? {
    var ending: ExitStatus?
    var endingSince = ContinuousClock.now
    for await stop in signals.stream {
      if stop == .interrupt, ending == nil, context.interrupts.take() { continue }
      let status = context.invocation.runsUntilStopped ? .done : stop.status
      if ending != nil {
        // timeout(1) signals the program, and then the group it is in: that is one signal. So does
        // whoever tells of a terminal that is gone: the kernel, then the shell.
        if stop == .hangUp || ContinuousClock.now - endingSince < .milliseconds(50) { continue }
        TerminalEcho.restore()
        _exit(status.rawValue)
      }
      ending = status
      endingSince = .now
      Watchdog.arm(status)
      task.cancel()
    }
    return ending
  }
}
