/// Where the files of a multipart form go, piece by piece as they arrive.
///
/// Threading: service thread only; what blocks there blocks every client. An object that goes away
/// before `filesEnded` lost its connection on the way.
package protocol FormSink: AnyObject {
  /// A file begins.
  ///
  /// - Parameters:
  ///   - field: the form's field it stands in, at most 127 bytes of it.
  ///   - name: what the sender calls it, at most 255 bytes of it; it may hold anything.
  func fileBegan(field: String, name: String)

  /// The next bytes of the file that began last.
  func fileWent(on bytes: UnsafeRawBufferPointer)

  /// The file that began last is whole; it is never called for one that was cut off.
  func fileEnded()
}

/// What becomes of the body of a request, decided before it comes.
package enum BodyDestination {
  /// It is kept in memory, up to the server's limit, and given with the request.
  case memory
  /// It is a multipart form, whose files go to a sink; anything but such a form gets 400.
  case form(any FormSink)
  /// It isn't wanted: this is the answer, and the connection ends.
  case refused(OutgoingResponse)
}
