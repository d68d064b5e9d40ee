import Control
import RoomProtocol

/// What the running listener hears, in one line, for who has asked for nothing in particular.
enum ListenerGlance {
  /// How long the listener may take: nobody waits for it.
  private static let patience = Duration.milliseconds(500)

  /// The line: `no` where no listener runs.
  static func line(_ environment: [String: String]) async -> String {
    let folders = ControlFolders(
      environment: environment, state: CommandContext.stateFolder(environment))
    let variable = OptionSpec.instance.variable.flatMap { environment[$0] } ?? ""
    let instance = variable.isEmpty ? ControlPlace.standardInstance : variable
    do {
      for place in try folders.places(of: instance) {
        guard let client = try await ControlClient.connect(to: place, within: patience) else {
          continue
        }
        return StatusText.line(try await client.answer(to: "status", within: patience)["status"])
      }
    } catch {
      return Diagnostic(describing: error).message
    }
    return "no"
  }
}
