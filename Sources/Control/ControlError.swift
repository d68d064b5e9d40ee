/// Why a control socket could not be made, or nobody answered on one.
package enum ControlError: Error, Equatable, Sendable {
  /// No instance can have this name.
  case badName(String)
  /// The path is longer than a socket's may be, in bytes.
  case pathTooLong(String, limit: Int)
  /// Something that is no folder of ours stands where the sockets are to be.
  case foreignFolder(String, Fault)
  /// The system refused an operation on a path.
  case system(operation: String, path: String, code: Int32)
  /// Another listener runs under the name; its process where it is known.
  case running(instance: String, pid: Int32?)
  /// No listener runs under the name.
  case noListener(instance: String)
  /// A listener is there and does not answer.
  case silent(instance: String)
  /// The listener has ended the conversation; its words where it said why.
  case closed(String?)

  /// What is wrong with a folder.
  package enum Fault: Sendable {
    case notAFolder
    case symbolicLink
    case ownedByAnother
  }
}
