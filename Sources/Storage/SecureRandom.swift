import CCrypto

/// Random bytes that nobody can guess: for salts, tokens, names.
package enum SecureRandom {
  /// As many random bytes as asked for.
  package static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    // A generator without entropy must stop the program rather than make guessable secrets.
    precondition(RAND_bytes(&bytes, Int32(count)) == 1, "no random bytes from OpenSSL")
    return bytes
  }
}
