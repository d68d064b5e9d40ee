import Glibc
import Storage

/// The way to the index: opened when it is first needed, anew when somebody has removed or replaced
/// it, and mended where that is possible.
///
/// Threading: belongs to the cache's actor.
final class IndexAccess {
  private let folder: CacheFolder
  private let tell: (CacheMending) -> Void
  private var index: CacheIndex?
  /// Whether the folder is made and swept.
  private(set) var isPrepared = false
  /// Whether others may be shut out where it can't be opened otherwise: by who removes tracks from a
  /// full disk, for a moment.
  private var mayBeAlone = false

  /// The index of a folder, not opened yet; `tell` is told of a damaged one.
  init(in folder: CacheFolder, tell: @escaping (CacheMending) -> Void) {
    self.folder = folder
    self.tell = tell
  }

  /// The index; nil where there has never been a cache, or there is none any more.
  func existing() throws -> CacheIndex? {
    if let index, index.isInPlace { return index }
    index = nil
    isPrepared = false
    guard folder.hasIndex else { return nil }
    try folder.check()
    do {
      index = try connected()
    } catch {
      try mend(error)
    }
    return index
  }

  /// The index, its folder made where it is missing, and what was left lying swept.
  func prepared(sweeping sweep: (CacheIndex) throws -> Void) throws -> CacheIndex? {
    if isPrepared, let index = try existing() { return index }
    try folder.create()
    // Where somebody holds the index, what is left lying does no harm.
    _ = try? run(sweep)
    guard let index = try existing() else { return nil }
    folder.takeBallast()
    isPrepared = true
    return index
  }

  /// Does something to the index, where there is one, and once more where what went wrong could be
  /// mended: it was damaged, or the disk is full.
  ///
  /// - Returns: what `work` returns; nil where there is no cache.
  /// - Throws: what `work` throws; as `existing`.
  func run<Result>(_ work: (CacheIndex) throws -> Result) throws -> Result? {
    do {
      return try existing().map(work)
    } catch {
      try mend(error)
    }
    return try existing().map(work)
  }

  /// Begins to free room, which must be possible with not one byte free; `endFreeing` follows.
  func beginFreeing() { mayBeAlone = true }

  /// Lets others in again, and takes again what was given up.
  func endFreeing() {
    mayBeAlone = false
    if index?.isAlone == true { index = nil }
    if folder.hasIndex { folder.takeBallast() }
  }

  /// Opens it; several processes that open or leave it at once get in each other's way for a moment
  /// that SQLite does not wait for.
  private func connected() throws -> CacheIndex {
    let end = ContinuousClock.now + .seconds(1)
    while true {
      do {
        return try CacheIndex(path: folder.index)
      } catch let error as SQLiteError where error.isBusy && ContinuousClock.now < end {
        usleep(20_000)
      }
    }
  }

  /// Mends what it has failed with: sets a damaged one aside, or gives up the ballast.
  ///
  /// - Throws: the same error where it can't be mended.
  private func mend(_ error: any Error) throws {
    guard let failure = error as? SQLiteError else { throw error }
    if failure.isCorrupt {
      index = nil
      let (mended, mending) = try CacheIndex.mended(in: folder)
      index = mended
      tell(mending)
    } else if failure.isUnwritable {
      let hasRoom = folder.dropBallast()
      guard hasRoom || (mayBeAlone && index == nil) else { throw error }
      if index == nil { index = try CacheIndex(path: folder.index, isAlone: !hasRoom) }
    } else {
      throw error
    }
  }
}
