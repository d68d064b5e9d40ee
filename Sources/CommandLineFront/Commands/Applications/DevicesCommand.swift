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
    var rows = devices.map(row(_:))
    for row in SinkTable.rows where !row.usage.hasPrefix("alsa") {
      rows.append([row.usage, row.summary, ""])
    }
    for name in context.settings.names(.output) {
      let sink = context.settings.entry(SettingKey(.savedSink, of: name, .output))?.value ?? ""
      rows.append([Printable.escaped(name), "saved: \(Printable.escaped(sink))", ""])
    }
    // A name is never cut: it is what `--output` takes.
    let table = Columns(columns: [.word, .text, .word], rows: rows)
    for line in table.lines(on: context.console.terminal) { context.console.print(line) }
    if devices.isEmpty {
      context.console.note("no ALSA device is configured")
    }
    return .done
  }

  private static func row(_ device: ALSADevices.Device) -> [String] {
    ["alsa:\(Printable.escaped(device.name))", Printable.escaped(device.summary), test(device)]
  }

  private static func test(_ device: ALSADevices.Device) -> String {
    switch device.test {
    case nil: return ""
    case .failure(let error)?: return Diagnostic(describing: error).message
    case .success(let format)?: return "plays at \(format.rate) Hz, \(format.sampleFormat)"
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
