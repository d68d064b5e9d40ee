import RoomProtocol

/// What `status` tells, for people: a few lines, one line, or what a format asks for.
enum StatusText {
  /// The lines of `status`.
  static func lines(_ status: JSONValue) -> String {
    var lines = [headline(status)]
    if status["track"] != .null {
      lines.append(field("row", status).isEmpty ? "" : "row \(place(status))")
      lines.append(clock(status))
    }
    if let next = status["next"]["title"].text {
      let artist = status["next"]["artist"].text.map { "\(Printable.escaped($0)) - " } ?? ""
      lines.append("next: \(artist)\(Printable.escaped(next))")
    }
    lines += [whereabouts(status), outage(status)]
    if status["listening"].truth == true { lines.append(box(status)) }
    lines.append("listening: \(status["listening"].truth == true ? "yes" : "no")")
    return lines.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The one line of `status --watch`, and of the program without a command.
  static func line(_ status: JSONValue) -> String {
    guard status["track"] != .null else { return "\(room(status)): \(word(status))" }
    let times = "\(field("elapsed", status))/\(field("duration", status))"
    return "\(room(status)): \(headline(status)) \(times)"
  }

  // MARK: Parts

  private static func headline(_ status: JSONValue) -> String {
    guard status["track"] != .null else { return word(status) }
    let artist = field("artist", status)
    let name = artist.isEmpty ? field("title", status) : "\(artist) - \(field("title", status))"
    return "[\(word(status))] \(name)"
  }

  private static func word(_ status: JSONValue) -> String {
    switch status["state"].text {
    case "stopped"?: "nothing plays"
    case let word?: word
    case nil: "not connected yet"
    }
  }

  private static func place(_ status: JSONValue) -> String {
    let length = field("length", status)
    return length.isEmpty ? field("row", status) : "\(field("row", status)) of \(length)"
  }

  private static func clock(_ status: JSONValue) -> String {
    var parts = ["\(field("elapsed", status))/\(field("duration", status))", field("mode", status)]
    if let drift = status["drift"].number {
      parts.append("drift \(JSONValue((drift * 1_000_000).rounded() / 1000).description) ms")
    }
    if case .list(let segments) = status["cache"]["segments"] {
      parts.append(BufferBar.text(segments.map { $0.number ?? 0 }))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func whereabouts(_ status: JSONValue) -> String {
    if status["source"].text == "library" {
      return "library of \(field("server", status)), not in sync with anyone; join leads back"
    }
    let people = status["listeners"].number.map { ", \(counted(Int($0), "listener"))" } ?? ""
    let user = field("user", status)
    let identity = user.isEmpty ? "" : " as \(user)"
    let isLost = status["connection"].text == "lost" ? " (connection lost)" : ""
    return "\(room(status)) at \(field("server", status))\(identity)\(people)\(isLost)"
  }

  /// What keeps a listener from its room, and what it can do without.
  private static func outage(_ status: JSONValue) -> String {
    guard let reason = status["outage"]["reason"].text else { return "" }
    let wait = status["outage"]["retry_s"].number.map { " in \(Int($0.rounded(.up))) s" } ?? ""
    let cached = status["outage"]["cached"].number.flatMap { EventText.offline(Int($0)) }
    return (["\(Printable.escaped(reason)); trying again\(wait)"] + (cached.map { [$0] } ?? []))
      .joined(separator: "\n")
  }

  private static func box(_ status: JSONValue) -> String {
    let muted = status["muted"].truth == true ? " (muted)" : ""
    let device = status["device"]["name"].text.map { "  device \(Printable.escaped($0))" } ?? ""
    let latency = status["latency_ms"].number ?? 0
    let late = latency == 0 ? "" : "  latency \(Int(latency)) ms"
    return "volume \(field("volume", status))\(muted)\(late)\(device)"
  }

  private static func room(_ status: JSONValue) -> String {
    let name = field("room", status)
    if status["source"].text == "library" { return "library, unsynced" }
    return name.isEmpty ? "no room" : name
  }

  // MARK: Fields

  /// The fields that a format may name, in the order of docs/control.md.
  static let fields = [
    "artist", "title", "album", "id", "elapsed", "duration", "percent", "state", "mode", "row",
    "length", "next", "source", "room", "server", "user", "listeners", "listening", "connection",
    "drift",
    "volume", "device", "instance",
  ]

  /// A field's text, empty where it is not known.
  static func field(_ name: String, _ status: JSONValue) -> String {
    let track = status["track"]
    switch name {
    case "artist", "album", "id": return shown(track[name])
    case "title": return shown(track["title"])
    case "elapsed": return elapsed(status).map { TimeText.text(.seconds($0)) } ?? ""
    case "duration":
      return track == .null
        ? "" : TimeText.text(track["duration"].number.map { Duration.seconds($0) })
    case "percent":
      guard let place = elapsed(status), let length = track["duration"].number, length > 0 else {
        return ""
      }
      return "\(Int((place / length * 100).rounded(.down)))"
    case "row": return whole(status["row"])
    case "length": return whole(status["queue_length"])
    case "next": return shown(status["next"]["title"])
    case "room": return shown(status["room"]["name"])
    case "user": return shown(status["user"]["username"])
    case "listening": return status["listening"].truth == true ? "yes" : "no"
    case "drift":
      return status["drift"].number.map { JSONValue(($0 * 10000).rounded() / 10).description } ?? ""
    case "listeners", "volume": return whole(status[name])
    case "device": return shown(status["device"]["name"])
    default: return shown(status[name])
    }
  }

  /// What is heard, else where the room is.
  private static func elapsed(_ status: JSONValue) -> Double? {
    guard status["track"] != .null else { return nil }
    // Out of reach of its server a room's clock runs on past the end.
    let length = status["track"]["duration"].number ?? .infinity
    return (status["position"].number ?? status["expected"].number).map { min(max(0, $0), length) }
  }

  private static func shown(_ value: JSONValue) -> String {
    value.text.map { Printable.escaped($0) } ?? ""
  }

  private static func whole(_ value: JSONValue) -> String {
    value.number.flatMap { Int(exactly: $0) }.map { "\($0)" } ?? ""
  }
}

/// A text with fields in braces: `{artist} - {title}`; `{{` and `}}` are braces themselves.
struct StatusFormat: Equatable {
  /// What the text is made of.
  enum Part: Equatable {
    case text(String)
    case field(String)
  }

  private(set) var parts: [Part] = []

  /// Reads a format.
  ///
  /// - Throws: `Diagnostic` of the code `usage` for an unknown field, which names the known ones.
  init(_ format: String) throws(Diagnostic) {
    var rest = format[...]
    var text = ""
    while let letter = rest.popFirst() {
      if (letter == "{" || letter == "}") && rest.first == letter {
        rest.removeFirst()
        text.append(letter)
      } else if letter == "{" {
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
        parts.append(.field(try Self.field(&rest)))
      } else if letter == "}" {
        throw .usage("a } in the format closes nothing", hint: "}} is a brace itself")
      } else {
        text.append(letter)
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
  }

  private static func field(_ rest: inout Substring) throws(Diagnostic) -> String {
    guard let end = rest.firstIndex(of: "}") else {
      throw .usage("a { in the format is not closed", hint: "{{ is a brace itself")
    }
    let name = String(rest[..<end])
    rest = rest[rest.index(after: end)...]
    guard StatusText.fields.contains(name) else {
      throw .usage(
        "there is no field {\(Printable.escaped(name))}",
        hint: "fields are \(StatusText.fields.joined(separator: ", "))")
    }
    return name
  }

  /// The text for a status.
  func text(_ status: JSONValue) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .field(let name): StatusText.field(name, status)
      }
    }.joined()
  }
}
