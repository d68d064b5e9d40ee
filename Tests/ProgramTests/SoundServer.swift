import Glibc
import TestSupport

/// A sound server of the test's own, with one sink that plays to nobody in real time, and ALSA's
/// configuration for it.
///
/// It ends with the value.
final class SoundServer: Sendable {
  /// Whether the server and ALSA's plug-in for it are installed.
  static let isInstalled =
    access("/usr/bin/pulseaudio", X_OK) == 0
    && ["x86_64", "aarch64", "arm"].contains { machine in
      ["gnu", "gnueabihf"].contains { system in
        access("/usr/lib/\(machine)-linux-\(system)/alsa-lib/libasound_module_pcm_pulse.so", R_OK)
          == 0
      }
    }

  /// What a program's environment must hold to find it.
  let variables: [String: String]
  private let server: Program

  /// Starts the server; ALSA calls its sink `ear`.
  ///
  /// - Parameter home: where its socket and files lie.
  /// - Throws: `ProgramError` when it doesn't come up.
  init(_ home: TemporaryFolder) async throws {
    let socket = home.file("native")
    try Music.write(
      Array("pcm.ear { type pulse server \"unix:\(socket)\" }\n".utf8), to: home.file("asound.conf")
    )
    variables = ["ALSA_CONFIG_PATH": "/usr/share/alsa/alsa.conf:\(home.file("asound.conf"))"]
    server = try Program(
      [
        "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
        "--log-target=stderr", "--disallow-exit",
        "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(socket)",
        "-L", "module-null-sink sink_name=ear rate=44100 channels=2",
      ], home: home, program: "/usr/bin/pulseaudio")
    try await server.wait("socket") { _ in access(socket, W_OK) == 0 }
  }

  /// Pulls the device out from under its listeners.
  func kill() { server.send(SIGKILL) }
}
