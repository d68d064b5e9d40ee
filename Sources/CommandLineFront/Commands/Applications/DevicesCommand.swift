import Playback
import RoomProtocol

/// `devices`: the outputs there are, and with `--test` what each device takes.
enum DevicesCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let devices = await ALSADevices.list(isTested: context.invocation.has(.test))
    if context.isJSON {
      context.console.print(
        .object([.init(key: "devices", value: .list(devices.map(object(_:))))]))
      return .done
    }
    for device in devices { context.console.print(line(device)) }
    for row in SinkTable.rows where !row.usage.hasPrefix("alsa") {
      context.console.print("\(Printable.padded(row.usage, to: 28))  \(row.summary)")
    }
    for name in context.settings.names(.output) {
      let sink = context.settings.entry(SettingKey(.savedSink, of: name, .output))?.value ?? ""
      context.console.print(
        "\(Printable.padded(name, to: 28))  saved: \(Printable.escaped(sink))")
    }
    if devices.isEmpty {
      context.console.note("no ALSA device is configured")
    }
    return .done
  }

  private static func line(_ device: ALSADevices.Device) -> String {
    let name = Printable.padded("alsa:\(Printable.escaped(device.name))", to: 28)
    return "\(name)  \(Printable.escaped(device.summary))\(test(device))"
  }

  private static func test(_ device: ALSADevices.Device) -> String {
    switch device.test {
    case nil: return ""
    case .failure(let error)?: return ": \(Diagnostic(describing: error).message)"
    case .success(let format)?: return ": plays at \(format.rate) Hz, \(format.sampleFormat)"
    }
  }

  private static func object(_ device: ALSADevices.Device) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init(key: "output", value: .text("alsa:\(device.name)")),
      .init(key: "summary", value: .text(device.summary)),
    ]
    switch device.test {
    case nil: break
    case .failure(let error)?:
      members.append(.init(key: "error", value: .text(Diagnostic(describing: error).message)))
    case .success(let format)?:
      members.append(.init(key: "rate", value: JSONValue(format.rate)))
      members.append(.init(key: "format", value: .text(format.sampleFormat)))
    }
    return .object(members)
  }
}
