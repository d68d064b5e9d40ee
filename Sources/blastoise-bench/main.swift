// `make bench`: measures, and prints each figure beside the one that is due (docs/measurements.md).
//
//   blastoise-bench [PATH] [GROUP ...]
//
// Groups: see `groups`; all of them where none is named. PATH, with a slash in
// it, is a release build of `blastoise`.

// `serve-library PORT` and `serve-tracks PORT FOLDER` are what the bench starts itself as, to have a
// server beside it.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "serve-library" {
  MadeUpLibrary.serve(port: Int(CommandLine.arguments[2]) ?? 0)
}
if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "serve-tracks" {
  await CacheBench.serve(
    port: Int(CommandLine.arguments[2]) ?? 0, folder: CommandLine.arguments[3])
}

let groups: [(name: String, run: (BenchOptions) -> Void)] = [
  // First, while the memory it is measured by is untouched.
  ("library", { _ in LibraryBench.run() }),
  ("resampler", { _ in ResamplerBench.run() }),
  ("ring", { _ in RingBench.run() }),
  ("sync", { _ in SyncBench.run() }),
  ("output", { _ in OutputBench.run() }),
  ("program", { ProgramBench.run($0) }),
  ("cache", { CacheBench.run($0) }),
]

let options = BenchOptions(Array(CommandLine.arguments.dropFirst()))
for group in groups where options.wants(group.name) {
  group.run(options)
}
