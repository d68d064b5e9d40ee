import CCrypto

/// A SHA-256 digest.
package struct ContentDigest: Hashable, Sendable {
  /// The 32 bytes.
  package let bytes: [UInt8]

  /// The digest as 64 lower-case hexadecimal digits.
  package var hex: String { Hex.string(bytes) }
}

/// SHA-256 over bytes that come in pieces.
///
/// Threading: one owner at a time; not `Sendable`. OpenSSL does over 1 GB/s.
package final class ContentHash {
  private let context: OpaquePointer

  package init() {
    // Out of memory, or an OpenSSL without SHA-256: nothing could go on.
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("EVP_MD_CTX_new failed") }
    self.context = context
    precondition(EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1, "no SHA-256 in OpenSSL")
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Takes the next bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1)
  }

  /// The digest of all bytes so far; more may follow.
  package func digest() -> ContentDigest {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    // Finishing a copy leaves this one open for more.
    guard let copy = EVP_MD_CTX_new() else { preconditionFailure("EVP_MD_CTX_new failed") }
    defer { EVP_MD_CTX_free(copy) }
    precondition(EVP_MD_CTX_copy_ex(copy, context) == 1)
    precondition(EVP_DigestFinal_ex(copy, &bytes, &count) == 1)
    return ContentDigest(bytes: Array(bytes[..<Int(count)]))
  }

  /// The digest of bytes in memory.
  package static func digest(of bytes: some Sequence<UInt8>) -> ContentDigest {
    let hash = ContentHash()
    Array(bytes).withUnsafeBytes { hash.update($0) }
    return hash.digest()
  }

  /// The digest of a file from its start.
  ///
  /// Threading: blocks on the disk.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - limit: how many bytes at most, or nil for all.
  /// - Returns: the digest of what there was.
  /// - Throws: `FileError`.
  package static func digest(
    of file: OpenFile, limit: Int64? = nil
  ) throws(FileError) -> ContentDigest {
    let hash = ContentHash()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      let wanted = Int(min(Int64(buffer.count), (limit ?? .max) - offset))
      let block = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
      let count = try file.read(into: block, at: offset)
      if count == 0 { return hash.digest() }
      hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
      offset += Int64(count)
    }
  }
}
