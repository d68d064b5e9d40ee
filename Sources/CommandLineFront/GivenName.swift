/// What somebody wants a room or a playlist to be called.
enum GivenName {
  /// Refuses a name that is nothing but blanks, before a server is asked.
  ///
  /// - Throws: `Diagnostic` of the code `usage`.
  static func check(_ name: String) throws(Diagnostic) {
    if trimmed(name).isEmpty { throw .usage("the name is blank") }
  }

  /// A name without the blanks around it, which servers leave out.
  static func trimmed(_ name: String) -> String {
    var name = name.drop(while: \.isWhitespace)
    while name.last?.isWhitespace == true { name.removeLast() }
    return String(name)
  }
}
