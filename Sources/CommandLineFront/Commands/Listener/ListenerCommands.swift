import Control
import RoomProtocol

/// `join`: moves the running listener to another room, or back to its room from the library.
enum JoinCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let place = try context.namedPlace(room: context.invocation.operands.first)
    let answer = try await context.askListener("join", place, within: .seconds(15))
    let name = Printable.escaped(answer["channel"].text ?? "")
    let status = answer["status"]
    let track = status["track"]["title"].text.map { ": \"\(Printable.escaped($0))\"" } ?? ""
    context.confirm("listening to \(name)\(track)", json: status)
    return .done
  }
}

/// `stop`: ends the running listener.
enum StopCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let client = try await context.runningListener()
    let pid = client.hello["pid"].integer
    _ = try await client.answer(to: "stop")
    // Its end is the end of the conversation: a listen after this one finds the place free.
    while try await client.next(within: .seconds(5)) != nil {}
    context.confirm(
      "the listener has ended",
      json: ["instance": .text(context.instance), "pid": JSONValue(pid)])
    return .done
  }
}

/// `resync`: puts what is heard where the room is.
enum ResyncCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let status = try await context.askListener("resync")["status"]
    let place = StatusText.field("elapsed", status)
    context.confirm(
      place.isEmpty ? "nothing plays" : "put right at \(place)", json: status)
    return .done
  }
}

/// `volume`, `mute` and `unmute`: how loud this machine is.
enum VolumeCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let change = try Step.read(context, .volume)
    guard let client = try await context.listener() else {
      let volume = try change.save(as: .volume, context)
      change.show(
        "volume \(volume), saved for the next listener",
        ["volume": JSONValue(volume), "muted": .null, "saved": true], context)
      return .done
    }
    return show(try await client.answer(to: "volume", change.arguments), change, context)
  }

  static func mute(_ context: CommandContext, _ isMuted: Bool) async throws -> ExitStatus {
    show(try await context.askListener(isMuted ? "mute" : "unmute"), .to(0), context)
  }

  private static func show(
    _ answer: JSONValue, _ change: Step, _ context: CommandContext
  ) -> ExitStatus {
    let volume = Int(answer["volume"].number ?? 0)
    let muted = answer["muted"].truth ?? false
    let text = "volume \(volume)\(muted ? " (muted)" : "")"
    change.show(
      text, ["volume": JSONValue(volume), "muted": .bool(muted), "saved": false], context)
    return .done
  }
}

/// `latency`: what the device adds after the sound system's own delay.
enum LatencyCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let change = try Step.read(context, .latency)
    guard let client = try await context.listener() else {
      let latency = try change.save(as: .latency, context)
      change.show(
        "latency \(latency) ms, saved for the next listener",
        ["latency_ms": JSONValue(latency), "saved": true], context)
      return .done
    }
    let answer = try await client.answer(to: "latency", change.arguments)
    let latency = Int(answer["latency_ms"].number ?? 0)
    change.show(
      "latency \(latency) ms", ["latency_ms": JSONValue(latency), "saved": false], context)
    return .done
  }
}

/// What becomes of a number: it is looked at, set, or stepped: nothing, `40`, `+5`, `-5`.
enum Step: Equatable {
  case look
  case to(Int)
  case by(Int)

  /// The command's operand.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  static func read(_ context: CommandContext, _ option: OptionSpec) throws(Diagnostic) -> Step {
    guard let text = context.invocation.operands.first else { return .look }
    let range = option.range ?? 0...0
    let isStep = text.hasPrefix("+") || text.hasPrefix("-")
    guard let value = Int(text), isStep ? abs(value) <= 100_000 : range.contains(value) else {
      let unit = option == .latency ? "MS" : "N"
      throw .usage(
        "\(option.name) takes \(unit), +\(unit) or -\(unit), not \"\(Printable.escaped(text))\"",
        hint: "from \(range.lowerBound) to \(range.upperBound)")
    }
    return isStep ? .by(value) : .to(value)
  }

  /// How it is asked for on the control socket.
  var arguments: [JSONValue.Member] {
    switch self {
    case .look: []
    case .to(let value): [.init("to", .integer(Int64(value)))]
    case .by(let value): [.init("by", .integer(Int64(value)))]
    }
  }

  /// Looks at the saved value, or changes it, where nobody listens.
  ///
  /// - Returns: the value that the next listener begins with.
  /// - Throws: `Diagnostic` where it can't be saved.
  func save(as option: OptionSpec, _ context: CommandContext) throws(Diagnostic) -> Int {
    let range = option.range ?? 0...0
    var value = context.settings[option].flatMap { Int($0) } ?? 0
    switch self {
    case .look: break
    case .to(let wanted): value = wanted
    case .by(let step): value = min(max(value + step, range.lowerBound), range.upperBound)
    }
    if self != .look { try context.settings.save(option, "\(value)") }
    return value
  }

  /// What was asked for is a result; what was done is not.
  func show(_ text: String, _ json: JSONValue, _ context: CommandContext) {
    if self == .look {
      context.present(text, json: json)
    } else {
      context.confirm(text, json: json)
    }
  }
}
