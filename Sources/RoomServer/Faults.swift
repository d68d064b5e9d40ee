package import RoomProtocol

/// Misbehaviour of a server on purpose, as plain data, for tests of its clients.
///
/// A fresh value is a server that behaves. It is given in the configuration and can be replaced
/// while the server runs (`Server.setFaults`). What happens once and not for as long as the value
/// stands (dropping sockets, sending a broken frame) is a method of `Server`.
package struct Faults: Sendable, Equatable {
  /// How many times something happens.
  package enum Repetition: Sendable, Equatable {
    /// The first time only.
    case once
    /// Every time, for as long as the faults stand.
    case always
  }

  /// Ends an audio answer before its announced length: the connection is closed.
  package struct BodyCut: Sendable, Equatable {
    /// The body bytes sent before the end.
    package var bytes: Int64
    package var repetition: Repetition

    /// Makes a cut after so many bytes.
    package init(bytes: Int64, _ repetition: Repetition = .once) {
      self.bytes = bytes
      self.repetition = repetition
    }
  }

  /// Turns the bits of a stretch of an audio file around in what is sent.
  package struct Corruption: Sendable, Equatable {
    /// The bytes concerned, by their place in the file.
    package var bytes: Range<Int64>
    package var repetition: Repetition

    /// Makes a damage of a stretch.
    package init(bytes: Range<Int64>, _ repetition: Repetition = .always) {
      self.bytes = bytes
      self.repetition = repetition
    }
  }

  /// What is answered instead of what was to be.
  package enum BadAnswer: Sendable, Equatable {
    /// Our own shape of an error.
    case status(Int)
    /// A web page of that title.
    case page(Int, title: String)
    /// Plain text.
    case text(Int, String)
    /// A status and no body.
    case nothing(Int)
    /// A redirect.
    case redirect(Int, to: String)
    /// A head that promises more than comes before the line breaks.
    case half
    /// Nothing, for ever.
    case silence
    /// Nothing: the line breaks.
    case hangUp
  }

  /// Answers a path otherwise instead of doing what was asked.
  package struct RouteFailure: Sendable, Equatable {
    /// The method, or nil for any.
    package var method: String?
    /// What the path (without the server's prefix) starts with, such as `/api/library`.
    package var path: String
    /// The one endpoint that fails; nil where method and path say which ones do.
    package var endpoint: Endpoint?
    package var answer: BadAnswer
    package var repetition: Repetition
    /// Whether what was asked is done all the same, so that only its answer is lost.
    package var isDone = false

    /// Makes a failure of a path.
    package init(
      method: String? = nil, path: String, status: Int, _ repetition: Repetition = .once
    ) {
      self.method = method
      self.path = path
      answer = .status(status)
      self.repetition = repetition
    }

    /// Makes a failure of an endpoint, but not of its upgrade to a WebSocket.
    package init(
      _ endpoint: Endpoint, _ answer: BadAnswer, isDone: Bool = false,
      _ repetition: Repetition = .always
    ) {
      path = ""
      self.endpoint = endpoint
      self.answer = answer
      self.isDone = isDone
      self.repetition = repetition
    }
  }

  /// Cuts audio answers short.
  package var bodyCut: BodyCut?
  /// Damages audio bytes on the way.
  package var corruption: Corruption?
  /// Answers a Range with 200 and the whole file.
  package var ignoresRange = false
  /// Leaves Content-Length out of audio answers; the end of the connection ends the body.
  package var omitsContentLength = false
  /// The Content-Type of audio answers.
  package var contentType: String?
  /// Holds audio answers back to so many bytes a second.
  package var bytesPerSecond: Int?

  /// Paths that fail.
  package var failures: [RouteFailure] = []
  /// Answers every request and upgrade with 401.
  package var rejectsEveryone = false
  /// Waits so long before any REST answer but audio.
  package var answerDelay: Duration?

  /// Refuses WebSocket upgrades with a status.
  package var refusesUpgrades: Int?
  /// Neither reads nor writes WebSockets any more: pings stay unanswered, as on a dead line.
  package var stallsSockets = false
  /// Waits so long before each state on a WebSocket, which is that old on its arrival.
  package var stateDelay: Duration?
  /// Ignores what is asked for on WebSockets, as of those who may not control.
  package var ignoresControl = false
  /// Leaves the queue out of every state.
  package var omitsQueue = false

  /// Added to the server's wall clock; a change while it runs is a step of that clock.
  package var clockSkew: Duration = .zero
  /// Advances at the very end of a track, without the timer.
  package var advancesExactly = false

  /// Makes the faults of a server that behaves.
  package init() {}
}
