import Glibc
import RoomProtocol

/// A failure as it is told: what could not be done and why, and how the program ends for it.
///
/// Commands throw it for what they find themselves; everything that other modules throw becomes one
/// in `init(describing:)`. The texts have been made fit for a terminal; no password, cookie or
/// argument of SQL is in them.
struct Diagnostic: Error, Equatable, Sendable {
  /// The failure in one word, which gives the exit status too.
  var code: FailureCode
  /// What could not be done: `cannot reach http://localhost:3001`.
  var what: String
  /// Why, where there is more to say.
  var why: String?
  /// What may help.
  var hint: String?

  init(_ code: FailureCode, _ what: String, why: String? = nil, hint: String? = nil) {
    self.code = code
    self.what = what
    self.why = why
    self.hint = hint
  }

  /// A command line that makes no sense.
  static func usage(_ what: String, hint: String? = nil) -> Diagnostic {
    Diagnostic(.usage, what, hint: hint)
  }

  /// What a guest may not do, told before or after the server says so.
  ///
  /// - Parameter what: what could not be done.
  /// - Returns: the failure, of the code `sign_in_needed`.
  static func guestRefused(_ what: String) -> Diagnostic {
    Diagnostic(
      .signInNeeded, what, why: "guests may only listen", hint: "blastoise login signs in")
  }

  /// What and why on one line.
  var message: String { why.map { "\(what): \($0)" } ?? what }

  /// The status the program ends with.
  var status: ExitStatus { code.status }

  /// What people read: a line, and another for the hint.
  var lines: [String] {
    ["blastoise: \(message)"] + (hint.map { ["hint: \($0)"] } ?? [])
  }

  /// What programs read.
  var json: JSONValue {
    [
      "error": [
        "code": .text(code.rawValue), "message": .text(message), "hint": JSONValue(hint),
        "exit": .integer(Int64(status.rawValue)),
      ]
    ]
  }
}

extension Diagnostic {
  /// The system's own words for an `errno`, beginning small as the rest of a sentence does.
  static func text(ofErrno code: Int32) -> String {
    guard let start = strerror(code) else { return "error \(code)" }
    return inSentence(String(cString: start))
  }

  /// A library's own words, beginning small as the rest of a sentence does.
  static func inSentence(_ text: String) -> String {
    // A name at the beginning stays as it is: `SSL`, `OpenSSL/3.0`, `I2C`.
    let rest = text.prefix { !$0.isWhitespace && $0 != ":" }.dropFirst()
    if rest.isEmpty || rest.contains(where: { $0.isUppercase || $0.isNumber }) { return text }
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
