// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target of ours is built with: Swift 6, the upcoming features worth having now,
/// and warnings as errors.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatAllWarnings(as: .error),
]

/// A C library from the system's packages: a module map and a shim header under Sources/System.
///
/// pkg-config is asked only where a header lies off the compiler's own path. For the others it would
/// tell nothing, and SwiftPM warns of each where it isn't installed; their shims name the package.
func library(_ name: String, pkgConfig: String? = nil, apt package: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([package])])
}

/// A module of ours; `uses` is all it may import (RepositoryTests checks it).
func module(
  _ name: String, uses: [Target.Dependency] = [], and more: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: settings + more)
}

/// For modules where no time is spent: the release build is made small there, not fast.
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// The tests of one module, in Tests/<module>Tests.
func tests(of name: String, uses: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests",
    dependencies: [.target(name: name), "TestSupport"] + uses, swiftSettings: settings)
}

let package = Package(
  name: "blastoise",
  products: [.executable(name: "blastoise", targets: ["blastoise"])],
  traits: [
    .trait(name: "Opus", description: "Ogg Opus tracks, by libopusfile-dev."),
    .trait(name: "SndFile", description: "WAV and AIFF tracks, by libsndfile1-dev."),
    .trait(name: "LineEditing", description: "History and completion, by libedit-dev."),
  ],
  targets: [
    // The C libraries, one importing module each.
    library("CCurl", apt: "libcurl4-openssl-dev"),
    library("CWebSockets", apt: "libwebsockets-dev"),
    library("CMpg123", apt: "libmpg123-dev"),
    library("CVorbisFile", apt: "libvorbis-dev"),
    library("CFLAC", apt: "libflac-dev"),
    library("COpusFile", pkgConfig: "opusfile", apt: "libopusfile-dev"),
    library("CSndFile", apt: "libsndfile1-dev"),
    library("CALSA", apt: "libasound2-dev"),
    library("CSQLite", apt: "libsqlite3-dev"),
    library("CCrypto", apt: "libssl-dev"),
    library("CEdit", apt: "libedit-dev"),
    .target(name: "CPlatform"),
    // Stands in for malloc: linked into the bench and the tests alone.
    .target(name: "CAllocationCounter"),
    .target(name: "DemoTracks", exclude: ["README.md", "tracks"]),

    // Layer 0: vocabulary and the platform.
    module("Platform", uses: ["CPlatform"]),
    module("RoomProtocol"),
    // Optimised in debug builds too: unoptimised, a resampler eats most of a core.
    module("PCM", and: [.unsafeFlags(["-O"], .when(configuration: .debug))]),

    // Layer 1: rules; bytes to frames; the network; the disk.
    module("RoomSync", uses: ["RoomProtocol"]),
    module(
      "Codecs",
      uses: [
        "PCM", "CMpg123", "CVorbisFile", "CFLAC",
        .target(name: "COpusFile", condition: .when(traits: ["Opus"])),
        .target(name: "CSndFile", condition: .when(traits: ["SndFile"])),
      ]),
    module("Transport", uses: ["Platform", "CCurl", "CWebSockets"], and: small),
    module("Storage", uses: ["Platform", "CSQLite", "CCrypto"]),
    module("Control", uses: ["RoomProtocol", "Platform"], and: small),

    // Layer 2: the room, the disk cache, the sound.
    module(
      "RoomClient", uses: ["RoomProtocol", "Transport", "Storage", "Platform"], and: small),
    module("Caching", uses: ["RoomProtocol", "Storage", "Platform"]),
    module("Playback", uses: ["PCM", "Codecs", "Platform", "CALSA"]),

    // Layer 3: the two applications; neither sees the other.
    module(
      "Listening",
      uses: [
        "Platform", "RoomProtocol", "PCM", "Codecs", "RoomSync", "RoomClient", "Caching",
        "Playback",
        "Transport",
      ], and: small),
    module(
      "RoomServer",
      uses: ["RoomProtocol", "Storage", "Transport", "Codecs", "Platform"], and: small),

    // Layers 4 and 5: the command line.
    module(
      "CommandLineFront",
      uses: [
        "RoomProtocol", "PCM", "Codecs", "RoomSync", "Storage", "Transport", "RoomClient",
        "Caching",
        "Playback", "Listening", "RoomServer", "Platform", "DemoTracks", "Control",
        .target(name: "CEdit", condition: .when(traits: ["LineEditing"])),
      ], and: small),
    .executableTarget(
      name: "blastoise", dependencies: ["CommandLineFront", "Platform"], swiftSettings: settings),
    .executableTarget(
      name: "blastoise-bench",
      dependencies: [
        "PCM", "Codecs", "RoomProtocol", "RoomSync", "Playback", "Platform", "Measuring",
        "Transport", "RoomClient", "Caching", "Listening", "RoomServer", "Storage",
        "CAllocationCounter",
      ],
      swiftSettings: settings),

    // Tests, and what they share with the bench.
    module("Measuring"),
    .target(
      name: "TestSupport", dependencies: ["Platform"], path: "Tests/TestSupport",
      swiftSettings: settings),
    tests(of: "Platform"),
    tests(of: "RoomProtocol"),
    tests(of: "PCM", uses: ["Platform", "Measuring", "CAllocationCounter"]),
    tests(of: "RoomSync", uses: ["RoomProtocol"]),
    tests(of: "Codecs", uses: ["PCM"]),
    tests(of: "Transport", uses: ["RoomServer", "RoomProtocol", "Platform"]),
    tests(of: "Storage"),
    tests(of: "Control", uses: ["RoomProtocol", "Platform"]),
    tests(of: "RoomClient", uses: ["RoomServer", "RoomProtocol", "Transport", "Storage"]),
    tests(of: "Caching", uses: ["RoomProtocol", "Storage"]),
    tests(of: "Playback", uses: ["PCM", "Codecs", "CAllocationCounter"]),
    tests(
      of: "Listening",
      uses: [
        "RoomServer", "RoomProtocol", "RoomSync", "RoomClient", "Caching", "Codecs", "Playback",
        "PCM", "Transport",
      ]),
    tests(of: "RoomServer", uses: ["RoomProtocol", "Storage", "Transport"]),
    tests(
      of: "CommandLineFront",
      uses: [
        "RoomProtocol", "Transport", "RoomClient", "RoomServer", "Playback", "Codecs", "Caching",
        "Storage", "Listening", "Control",
      ]),
    .testTarget(
      name: "ProgramTests",
      dependencies: [
        "blastoise", "RoomServer", "RoomClient", "RoomProtocol", "Control", "Transport", "Storage",
        "Platform", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RepositoryTests", dependencies: ["TestSupport"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// A part of the tests alone, where their building takes the longest: the sanitizers, and whoever
// works on one module (`BLASTOISE_TESTS=CachingTests,StorageTests swift test`).
if let wanted = Context.environment["BLASTOISE_TESTS"], !wanted.isEmpty {
  let names = wanted.split(separator: ",").map(String.init)
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
