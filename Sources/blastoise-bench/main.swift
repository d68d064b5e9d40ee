// `make bench`: measures, and prints each figure beside the one that is due (docs/measurements.md).
//
//   blastoise-bench [PATH] [GROUP ...]
//
// Groups: see `groups`; all of them where none is named. PATH, with a slash in
// it, is a release build of `blastoise`.

let groups: [(name: String, run: (BenchOptions) -> Void)] = [
  ("resampler", { _ in ResamplerBench.run() }),
  ("ring", { _ in RingBench.run() }),
  ("sync", { _ in SyncBench.run() }),
  ("output", { _ in OutputBench.run() }),
  ("program", { ProgramBench.run($0) }),
]

let options = BenchOptions(Array(CommandLine.arguments.dropFirst()))
for group in groups where options.wants(group.name) {
  group.run(options)
}
