/// What the server says of itself and offers.
///
/// That it tells about guests and sign-up is documented, the names of those flags are not: several
/// likely ones are read. A flag that is nil was not said: try, and believe the answer.
package struct ServerStatus: Hashable, Sendable {
  /// Whether one may listen without an account.
  package var allowsGuests: Bool?
  /// Whether one may make an account.
  package var allowsSignups: Bool?
  /// Whether imports by URL work at all.
  package var ytdlp: ImportSupport
  /// What the server calls itself.
  package var name: String?
  /// The version of the server's program.
  package var version: String?

  /// The state of the server's import program.
  package struct ImportSupport: Hashable, Sendable {
    /// Whether the operator wants imports.
    package var enabled: Bool
    /// Whether the program is installed.
    package var available: Bool

    /// Makes a state, off unless told otherwise.
    package init(enabled: Bool = false, available: Bool = false) {
      self.enabled = enabled
      self.available = available
    }
  }

  /// Makes a status.
  package init(
    allowsGuests: Bool? = nil, allowsSignups: Bool? = nil,
    ytdlp: ImportSupport = ImportSupport(), name: String? = nil, version: String? = nil
  ) {
    self.allowsGuests = allowsGuests
    self.allowsSignups = allowsSignups
    self.ytdlp = ytdlp
    self.name = name
    self.version = version
  }

  /// Whether imports by URL may be offered.
  package var offersImports: Bool { ytdlp.enabled && ytdlp.available }

  static let guestFlags: [String] = [
    "allowGuests", "allow_guests", "guestsAllowed", "guests_allowed", "guestsEnabled",
    "guests_enabled", "allowGuest", "guestAccess", "guests",
  ]
  static let signupFlags: [String] = [
    "allowSignups", "allow_signups", "allowSignup", "allow_signup", "signupsAllowed",
    "signups_allowed", "signupAllowed", "signupEnabled", "signup_enabled", "signupsEnabled",
    "allowRegistration", "signups", "signup",
  ]
}

extension ServerStatus: WireReadable, WireWritable {
  /// Reads a status; nothing is required.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      allowsGuests: Self.guestFlags.lazy.compactMap { fields.flag($0) }.first,
      allowsSignups: Self.signupFlags.lazy.compactMap { fields.flag($0) }.first,
      ytdlp: fields.value("ytdlp") ?? ImportSupport(),
      name: fields.text("name"),
      version: fields.label("version"))
  }

  /// Writes the status under our server's names.
  package var wire: JSONValue {
    JSONValue.fields([
      "ytdlp": ytdlp
    ]).adding([
      "allowGuests": allowsGuests,
      "allowSignups": allowsSignups,
      "name": name,
      "version": version,
    ])
  }
}

extension ServerStatus.ImportSupport: WireReadable, WireWritable {
  /// Reads the two flags; what is absent is off.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      enabled: fields.flag("enabled") ?? false, available: fields.flag("available") ?? false)
  }

  /// Writes the two flags.
  package var wire: JSONValue {
    .fields([
      "enabled": enabled,
      "available": available,
    ])
  }
}
