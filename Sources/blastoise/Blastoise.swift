/// The program: it hands its arguments to the front and exits with the status it gets back.
@main
enum Blastoise {
  static func main() async {}
}
