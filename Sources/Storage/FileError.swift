/// What the system refused to do with a file.
package struct FileError: Error, Equatable, Sendable {
  /// The system call, such as `open`.
  package var operation: String
  /// The file or folder.
  package var path: String
  /// The `errno` value.
  package var code: Int32

  package init(operation: String, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }
}
