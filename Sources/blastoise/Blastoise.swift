import CommandLineFront
import Glibc
import Platform

/// The program: it hands its arguments to the front and exits with the status it gets back.
@main
enum Blastoise {
  static func main() async {
    let status = await Front.main(
      arguments: Array(CommandLine.arguments.dropFirst()),
      environment: ProcessEnvironment.variables())
    // Everything is written and closed by now; the libraries' own clean-up at exit would run
    // beside threads that may still end.
    _exit(status)
  }
}
