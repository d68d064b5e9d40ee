import Platform
import RoomProtocol
import Transport

/// A library of 100,000 made-up tracks, as a server sends it, and the server that does.
enum MadeUpLibrary {
  /// How many tracks it has.
  static let count = 100_000

  private static let syllables = [
    "ra", "lo", "mi", "tên", "sö", "ver", "na", "ku", "del", "or", "fi", "sta", "wen", "po", "ly",
    "東",
  ]

  /// A word of a vocabulary of some thousands, as titles are made of; small numbers are common ones.
  private static func word(_ random: UInt64) -> String {
    // The product of two is small more often than large, as words are.
    let number = (random & 63) * (random >> 6 & 63)
    var rest = number
    var word = ""
    repeat {
      word += syllables[Int(rest & 15)]
      rest >>= 4
    } while rest > 0
    return word
  }

  /// The listing's JSON.
  ///
  /// - Parameter edition: another number changes one track in a hundred.
  /// - Returns: UTF-8, some 33 MB.
  static func json(edition: Int) -> [UInt8] {
    var text = "["
    text.reserveCapacity(count * 330)
    for number in 0..<count {
      if number > 0 { text += "," }
      append(number, edition: number % 100 == 0 ? edition : 0, to: &text)
    }
    return Array((text + "]").utf8)
  }

  private static func append(_ number: Int, edition: Int, to text: inout String) {
    var random = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    func next() -> UInt64 {
      random = (random ^ (random >> 29)) &* 0xBF58_476D_1CE4_E5B9
      return random
    }
    func word() -> String { Self.word(next()) }
    let artist = "\(word()) \(word()) \(number / 400)"
    let album = "\(word()) \(number / 12)"
    let title = "\(word()) \(word()) \(word())" + (edition > 0 ? " (\(edition))" : "")
    let hash = (0..<4).map { _ in padded(String(next(), radix: 16), to: 16) }.joined()
    let row = number % 12 + 1
    text += """
      {"id":"sha256:\(hash)","filename":"\(artist)/\(album)/\(row) \(title).flac","title":"\(title)",\
      "artist":"\(artist)","album":"\(album)","duration":\(60 + number % 400).\(number % 10),\
      "replayGainDb":-\(number % 9).25,"replayPeak":0.98,"available":true}
      """
  }

  private static func padded(_ digits: String, to count: Int) -> String {
    String(repeating: "0", count: count - digits.count) + digits
  }

  /// Serves it on a port of this machine until killed: twice the same, then the next edition.
  static func serve(port: Int) {
    guard
      let server = try? WebServer(
        WebServerOptions(host: "127.0.0.1", port: port, serverName: "bench"))
    else { return }
    let handler = Handler()
    server.handler = handler
    // The server does not keep it; and what stands behind an endless loop keeps nothing either.
    while server.port == port { server.step() }
    withExtendedLifetime(handler) {}
  }

  private final class Handler: WebServerHandler {
    private let editions = [MadeUpLibrary.json(edition: 0), MadeUpLibrary.json(edition: 1)]
    private var requests = 0

    func answer(_ exchange: HTTPExchange) {
      guard exchange.request.path == Route.library.path else {
        return exchange.respond(OutgoingResponse(json: Array("{}".utf8)))
      }
      requests += 1
      exchange.respond(OutgoingResponse(json: editions[requests > 2 ? 1 : 0]))
    }

    func decide(onUpgrade request: IncomingRequest) -> UpgradeDecision {
      .refuse(OutgoingResponse(status: 404))
    }

    func received(_ text: [UInt8], on socket: AcceptedSocket) {}
    func closed(_ socket: AcceptedSocket) {}
    func finished(_ request: IncomingRequest, status: Int) {}
  }
}
