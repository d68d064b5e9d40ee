import Testing

/// What a cache goes through when its program is killed and its disk fails.
///
/// One thing after another: all of it keeps the disk busy, and the tests beside it have time limits.
@Suite(.serialized) enum CacheTrials {}

/// What a cache meets: other processes, servers that lie, a meddler, a full disk.
///
/// One after another as well.
@Suite(.serialized) enum CacheEncounters {}
