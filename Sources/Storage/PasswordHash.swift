import CCrypto

/// A password as it is kept: a scrypt hash with its cost and its random salt.
///
/// Threading: `init(of:)` and `matches` work for about 50 ms and use 16 MiB; not on an event loop.
package struct PasswordHash: Equatable, Sendable {
  /// The text to store: `scrypt$N$r$p$salt$hash`, salt and hash in hexadecimal digits.
  package let encoded: String

  private struct Cost {
    var n: UInt64 = 16384
    var r: UInt64 = 8
    var p: UInt64 = 1
  }

  private static let hashLength = 32
  /// Costs that a stored text may ask for: four times what we write.
  private static let memoryLimit: UInt64 = 64 << 20

  /// Hashes a password with a fresh salt.
  package init(of password: String) {
    let cost = Cost()
    let salt = SecureRandom.bytes(16)
    guard let hash = Self.derive(password, salt: salt, cost: cost, length: Self.hashLength) else {
      // Only out of memory is left as a reason: the cost is a constant within OpenSSL's limits.
      preconditionFailure("scrypt failed")
    }
    encoded = "scrypt$\(cost.n)$\(cost.r)$\(cost.p)$\(Hex.string(salt))$\(Hex.string(hash))"
  }

  /// Takes a stored text, whatever it holds.
  package init(encoded: String) {
    self.encoded = encoded
  }

  /// Whether this is the password that was hashed, compared in constant time.
  ///
  /// False where the stored text is no hash of ours.
  package func matches(_ password: String) -> Bool {
    let parts = encoded.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let n = UInt64(parts[1]),
      let r = UInt64(parts[2]), let p = UInt64(parts[3]), let salt = Hex.bytes(parts[4]),
      let stored = Hex.bytes(parts[5]), stored.count >= 16,
      let hash = Self.derive(
        password, salt: salt, cost: Cost(n: n, r: r, p: p), length: stored.count)
    else { return false }
    return CRYPTO_memcmp(hash, stored, stored.count) == 0
  }

  private static func derive(
    _ password: String, salt: [UInt8], cost: Cost, length: Int
  ) -> [UInt8]? {
    var hash = [UInt8](repeating: 0, count: length)
    let count = password.utf8.count
    let code = password.withCString { text in
      EVP_PBE_scrypt(
        text, count, salt, salt.count, cost.n, cost.r, cost.p, memoryLimit, &hash, length)
    }
    return code == 1 ? hash : nil
  }
}
