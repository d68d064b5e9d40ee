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

  static let guestFlags: [WireKey] = [
    "allowGuests", "allow_guests", "guestsAllowed", "guests_allowed", "guestsEnabled",
    "guests_enabled", "allowGuest", "guestAccess", "guests",
  ]
  static let signupFlags: [WireKey] = [
    "allowSignups", "allow_signups", "allowSignup", "allow_signup", "signupsAllowed",
    "signups_allowed", "signupAllowed", "signupEnabled", "signup_enabled", "signupsEnabled",
    "allowRegistration", "signups", "signup",
  ]
}

extension ServerStatus: Codable {
  /// Reads a status; nothing is required.
  ///
  /// - Parameter decoder: stands on the object.
  /// - Throws: `DecodingError` where there is no object.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: WireKey.self)
    self.init(
      allowsGuests: Self.guestFlags.lazy.compactMap { fields.flag($0) }.first,
      allowsSignups: Self.signupFlags.lazy.compactMap { fields.flag($0) }.first,
      ytdlp: fields.value("ytdlp") ?? ImportSupport(),
      name: fields.text("name"),
      version: fields.label("version"))
  }

  /// Writes the status under our server's names.
  ///
  /// - Parameter encoder: receives the object.
  /// - Throws: what the encoder throws.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: WireKey.self)
    try fields.encodeIfPresent(allowsGuests, forKey: "allowGuests")
    try fields.encodeIfPresent(allowsSignups, forKey: "allowSignups")
    try fields.encode(ytdlp, forKey: "ytdlp")
    try fields.encodeIfPresent(name, forKey: "name")
    try fields.encodeIfPresent(version, forKey: "version")
  }
}

extension ServerStatus.ImportSupport: Codable {
  /// Reads the two flags; what is absent is off.
  ///
  /// - Parameter decoder: stands on the object.
  /// - Throws: `DecodingError` where there is no object.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: WireKey.self)
    self.init(
      enabled: fields.flag("enabled") ?? false, available: fields.flag("available") ?? false)
  }

  /// Writes the two flags.
  ///
  /// - Parameter encoder: receives the object.
  /// - Throws: what the encoder throws.
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: WireKey.self)
    try fields.encode(enabled, forKey: "enabled")
    try fields.encode(available, forKey: "available")
  }
}
