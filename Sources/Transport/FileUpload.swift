import Glibc

/// A file that a request sends as a form's field, read from the disk while it goes.
package struct FileUpload: Sendable {
  /// The form's field.
  package var field: String
  /// The file.
  package var path: String
  /// What the form calls it.
  package var name: String
  /// Told how many bytes of the request have gone and how many there are; on the client's thread,
  /// often.
  package var progress: (@Sendable (_ sent: Int64, _ total: Int64) -> Void)?

  /// Describes a file to be sent.
  ///
  /// - Parameters:
  ///   - field: the form's field.
  ///   - path: a plain file.
  ///   - name: what the form calls it.
  ///   - progress: told how far it is.
  package init(
    field: String, path: String, name: String,
    progress: (@Sendable (_ sent: Int64, _ total: Int64) -> Void)? = nil
  ) {
    self.field = field
    self.path = path
    self.name = name
    self.progress = progress
  }

  /// Whether the server is asked before anything is sent.
  var isLarge: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size >= Self.largeSize
  }

  /// From this size on the server is asked before anything is sent, and given a second to answer: so
  /// that one that refuses does not get gigabytes.
  private static let largeSize = 16 << 20
}
