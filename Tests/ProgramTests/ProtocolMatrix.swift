import TestSupport

/// The tables at the end of docs/protocol.md: what is reached by which command, and tested where.
struct ProtocolMatrix {
  /// A row: its cells, without their quotes.
  struct Row: Sendable {
    /// An endpoint, or a message.
    var name: String
    /// The event that a message becomes; empty elsewhere.
    var event = ""
    /// The words of the command, or what else brings it about.
    var command: String
    /// The suites that test it.
    var tests: [String]

    /// Whether there is a command for it.
    var hasCommand = false
  }

  /// By method and path.
  var endpoints: [Row] = []
  /// What the client says, by its action.
  var actions: [Row] = []
  /// What the server says, by its type.
  var messages: [Row] = []

  /// Reads the page.
  ///
  /// - Throws: where it can't be read.
  init() throws {
    let text = String(
      decoding: try Fixture.bytes(at: "\(Fixture.root)/docs/protocol.md"), as: UTF8.self)
    var heading = ""
    let rows = text.split(separator: "## How each of it is reached").last ?? ""
    for line in rows.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: " | ").map {
        $0.drop { $0 == "|" || $0 == " " }.split(separator: "|").first.map(Self.trimmed) ?? ""
      }
      guard line.contains("`") && !cells[0].hasPrefix("The ") else {
        heading = cells[0]
        continue
      }
      let tests = cells[cells.count - 1].split(separator: ", ").map { Self.plain(String($0)) }
      let command = cells[cells.count - 2]
      var row = Row(name: Self.plain(cells[0]), command: Self.plain(command), tests: tests)
      row.hasCommand = command.hasPrefix("`")
      if cells.count == 4 { row.event = Self.plain(cells[1]) }
      switch heading {
      case "Endpoint": endpoints.append(row)
      case "The client says": actions.append(row)
      case "The server says": messages.append(row)
      default: break
      }
    }
  }

  var all: [Row] { endpoints + actions + messages }

  private static func trimmed(_ text: Substring) -> String {
    text.split(separator: " ").joined(separator: " ")
  }

  private static func plain(_ text: String) -> String { text.filter { $0 != "`" } }
}
