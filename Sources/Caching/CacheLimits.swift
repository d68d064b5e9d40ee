/// How much of the disk the cache may take.
package struct CacheLimits: Sendable, Equatable {
  /// What all kept tracks and parts may take together, in bytes; 0 keeps nothing.
  package var maxSize: Int64
  /// What stays free on the disk, in bytes; nil for 5 % of it, 500 MB at most.
  package var reserve: Int64?

  /// What holds where nobody says otherwise: 4 GB, and the usual reserve.
  package static let standard = CacheLimits(maxSize: 4_000_000_000)

  /// Limits of one's own.
  ///
  /// - Parameters:
  ///   - maxSize: bytes in all.
  ///   - reserve: bytes that stay free; nil for the usual share.
  package init(maxSize: Int64, reserve: Int64? = nil) {
    self.maxSize = maxSize
    self.reserve = reserve
  }

  /// What stays free on a disk of `total` bytes.
  package func reserve(ofDisk total: Int64) -> Int64 {
    reserve ?? min(total / 20, 500_000_000)
  }
}
