import Caching

extension Settings {
  /// How much of the disk tracks may take.
  ///
  /// - Throws: `Diagnostic` for a variable that is no size.
  func cacheLimits() throws(Diagnostic) -> CacheLimits {
    CacheLimits(
      maxSize: try bytes(.cacheSize) ?? CacheLimits.standard.maxSize,
      reserve: try bytes(.cacheReserve))
  }

  private func bytes(_ option: OptionSpec) throws(Diagnostic) -> Int64? {
    guard let value = value(of: option) else { return nil }
    if let wanted = option.expectation(of: value.text) {
      throw .usage(
        "\(option.variable ?? option.name) takes \(wanted), not "
          + "\"\(Printable.escaped(value.text))\"")
    }
    return SizeText.bytes(value.text)
  }
}
