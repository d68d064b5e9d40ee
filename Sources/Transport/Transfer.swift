import CCurl
import Glibc
import Synchronization

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
  context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

/// Curl's write callback: bytes of a body.
private func transferBody(
  _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
  if transfer(context)?.pausesIfFull() == true { return Int(CURL_WRITEFUNC_PAUSE) }
  guard transfer(context)?.take(body: bytes) == true else { return bytes.count == 0 ? 1 : 0 }
  return bytes.count
}

/// Curl's header callback: one line of a head, its line end included.
private func transferHeader(
  _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
  let line = String(decoding: bytes, as: UTF8.self)
  return transfer(context)?.take(header: line, count: bytes.count) == true ? bytes.count : 0
}

/// Curl's call just before a request leaves on a standing connection.
private func transferAboutToSend(
  _ context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<CChar>?,
  _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32
) -> Int32 {
  let mayGo = transfer(context)?.isAboutToSend() == true
  return Int32(mayGo ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
}

/// Curl's report on how far a transfer is.
private func transferProgress(
  _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _ total: curl_off_t,
  _ sent: curl_off_t
) -> Int32 {
  if total > 0 { transfer(context)?.reportProgress(Int64(sent), of: Int64(total)) }
  return 0
}

/// One leg of a request: the first address, or one it was redirected to.
struct Hop {
  var url: NetworkURL
  var method: HTTPRequest.Method
  var body: [UInt8]
  var upload: FileUpload?
  var number = 0
  /// Whether the host of the request was left, after which no cookie is sent any more.
  var isAbroad = false

  init(_ request: HTTPRequest) {
    url = request.url
    method = request.method
    body = request.body
    upload = request.upload
  }
}

/// One leg of a request under way: a curl easy handle, and what has arrived.
///
/// Threading: made and used on the client's thread only. Curl keeps pointers to it, so it lives
/// until its handle is removed from the multi handle.
final class Transfer {
  let ticket: TransferTicket
  let easy: UnsafeMutableRawPointer
  private let hop: Hop

  /// The leg to go on with, known once a redirect's head is complete.
  private(set) var nextHop: Hop?
  /// Whether the server is held back, because the receiver has enough for now.
  private(set) var isPaused = false
  /// Whether an answer set a cookie.
  private(set) var setsCookies = false

  private var lines: UnsafeMutablePointer<curl_slist>?
  private let sentBody: UnsafeMutablePointer<UInt8>
  private var form: OpaquePointer?
  private var lastSent: Int64 = -1
  private let errorText: UnsafeMutablePointer<CChar>
  private var sizeLimit = 0
  private var headerSize = 0
  private var status = 0
  private var headers = HTTPHeaders()
  private var isHeadComplete = false
  private var body: [UInt8] = []
  private var failure: TransportError.Cause?
  private var sentAt = ContinuousClock.now
  private var wasSent = false
  private var answeredAt: ContinuousClock.Instant?

  /// The most that is kept of the body of an answer to a download that is no success.
  private static let errorBodyLimit = 64 * 1024
  /// The most that all header lines may take.
  private static let headerLimit = 1024 * 1024
  private static let hopLimit = 5

  init(ticket: TransferTicket, hop: Hop) {
    guard let easy = curl_easy_init() else { fatalError("curl has no memory") }
    self.ticket = ticket
    self.hop = hop
    self.easy = easy
    sentBody = .allocate(capacity: max(1, hop.body.count))
    sentBody.initialize(from: hop.body, count: hop.body.count)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(lines)
    curl_mime_free(form)
    sentBody.deallocate()
    errorText.deallocate()
  }

  // MARK: - Going out

  /// Sets all options of the handle.
  func prepare(_ configuration: TransportConfiguration, cookies: CookieEngine) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sizeLimit = ticket.request.sizeLimit ?? configuration.sizeLimit
    ccurl_easy_set_pointer(easy, CURLOPT_PRIVATE, context)
    ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    ccurl_easy_set_data_callback(easy, CURLOPT_WRITEFUNCTION, transferBody)
    ccurl_easy_set_pointer(easy, CURLOPT_WRITEDATA, context)
    ccurl_easy_set_data_callback(easy, CURLOPT_HEADERFUNCTION, transferHeader)
    ccurl_easy_set_pointer(easy, CURLOPT_HEADERDATA, context)
    ccurl_easy_set_prereq_callback(easy, transferAboutToSend)
    ccurl_easy_set_pointer(easy, CURLOPT_PREREQDATA, context)
    ccurl_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
    // A name look-up that hangs must not hold up a shutdown.
    ccurl_easy_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    ccurl_easy_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    ccurl_easy_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_easy_set_string(easy, CURLOPT_URL, hop.url.description)
    ccurl_easy_set_long(easy, CURLOPT_PATH_AS_IS, 1)
    ccurl_easy_set_string(easy, CURLOPT_USERAGENT, configuration.userAgent)
    if !hop.isAbroad { cookies.attach(to: easy) }
    if ticket.receiver != nil {
      ccurl_easy_set_long(easy, CURLOPT_BUFFERSIZE, Self.downloadBuffer)
    }
    prepareTimes(configuration)
    prepareTrust(configuration)
    prepareMethod()
  }

  /// How much is taken from the network at once for a receiver: fewer, larger pieces.
  private static let downloadBuffer = 128 * 1024

  private func prepareTimes(_ configuration: TransportConfiguration) {
    let connect = configuration.connectTimeout.milliseconds
    ccurl_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, connect)
    if ticket.request.hasIdleTimeout {
      ccurl_easy_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, 1)
      ccurl_easy_set_long(easy, CURLOPT_LOW_SPEED_TIME, configuration.idleTimeout.wholeSeconds)
    }
    if ticket.request.hasTotalTimeout {
      ccurl_easy_set_long(easy, CURLOPT_TIMEOUT_MS, configuration.totalTimeout.milliseconds)
    }
    ccurl_easy_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
    let version = ticket.request.isAlone ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
    ccurl_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(version))
  }

  private func prepareTrust(_ configuration: TransportConfiguration) {
    if configuration.isInsecure {
      ccurl_easy_set_long(easy, CURLOPT_SSL_VERIFYPEER, 0)
      ccurl_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, 0)
    } else if let file = configuration.certificateFile {
      // The folder of the system's certificates (CURLOPT_CAPATH) stays: the file comes beside it.
      ccurl_easy_set_string(easy, CURLOPT_CAINFO, file)
    }
  }

  private func prepareMethod() {
    var fields = ticket.request.headers.fields.map { "\($0.name): \($0.value)" }
    let isCompressible = ticket.receiver == nil || ticket.request.takesCompression
    if isCompressible { ccurl_easy_set_string(easy, CURLOPT_ACCEPT_ENCODING, "") }
    switch hop.method {
    case .get:
      ccurl_easy_set_long(easy, CURLOPT_HTTPGET, 1)
    case .head:
      ccurl_easy_set_long(easy, CURLOPT_NOBODY, 1)
    case .post where hop.upload != nil:
      fields += prepareUpload()
    case .post, .patch, .delete:
      // Always with a length, also of nothing: some servers drop a POST without one.
      ccurl_easy_set_long(easy, CURLOPT_POST, 1)
      ccurl_easy_set_pointer(easy, CURLOPT_POSTFIELDS, sentBody)
      ccurl_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(hop.body.count))
      ccurl_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, hop.method.rawValue)
      // Not to wait for a `100 Continue` that many servers never send.
      fields.append("Expect:")
      if ticket.request.headers["Content-Type"] == nil { fields.append("Content-Type:") }
    }
    for field in fields { lines = curl_slist_append(lines, field) }
    ccurl_easy_set_list(easy, CURLOPT_HTTPHEADER, lines)
  }

  /// Whether it can be started; where not, `result` says why.
  var isReady: Bool { failure == nil }

  /// Makes the form of a file; returns the header lines that go with it.
  private func prepareUpload() -> [String] {
    guard let upload = hop.upload, let form = curl_mime_init(easy) else { return [] }
    self.form = form
    let part = curl_mime_addpart(form)
    curl_mime_name(part, upload.field)
    // Opened and measured here, read as it goes; a file that can't be is told by curl at the start.
    let code = curl_mime_filedata(part, upload.path)
    if code != CURLE_OK { failure = .unreadable(path: upload.path) }
    curl_mime_filename(part, upload.name)
    curl_mime_type(part, "application/octet-stream")
    ccurl_easy_set_pointer(easy, CURLOPT_MIMEPOST, UnsafeRawPointer(form))
    if upload.progress != nil {
      ccurl_easy_set_progress_callback(easy, transferProgress)
      ccurl_easy_set_pointer(easy, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
      ccurl_easy_set_long(easy, CURLOPT_NOPROGRESS, 0)
    }
    return upload.isLarge ? [] : ["Expect:"]
  }

  /// Notes when the request leaves; false where it must not.
  ///
  /// Curl sends a request again by itself where a kept connection turns out to be dead. The server
  /// may have obeyed the first one: a change is never sent twice.
  fileprivate func isAboutToSend() -> Bool {
    if wasSent, !hop.method.isIdempotent {
      return fail(.interrupted(detail: "it was closed without an answer"))
    }
    wasSent = true
    sentAt = .now
    return true
  }

  fileprivate func reportProgress(_ sent: Int64, of total: Int64) {
    guard sent != lastSent else { return }
    lastSent = sent
    hop.upload?.progress?(sent, total)
  }

  // MARK: - Coming in

  fileprivate func take(header line: String, count: Int) -> Bool {
    if answeredAt == nil { answeredAt = ContinuousClock.now }
    headerSize += count
    guard headerSize <= Self.headerLimit else { return fail(.tooLarge(limit: Self.headerLimit)) }
    // Lines after the head are trailers.
    guard !isHeadComplete || line.hasPrefix("HTTP/") else { return true }
    if line.hasPrefix("HTTP/") {
      headers = HTTPHeaders()
      isHeadComplete = false
      let code = line.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
      status = Int(code.trimmingBlanks) ?? 0
      return true
    }
    guard line.trimmingBlanks.isEmpty else {
      headers.add(line: line)
      return true
    }
    guard status >= 200 else { return true }
    isHeadComplete = true
    setsCookies = setsCookies || headers["Set-Cookie"] != nil
    return completeHead()
  }

  private func completeHead() -> Bool {
    if let location = headers["Location"], [301, 302, 303, 307, 308].contains(status) {
      switch redirect(to: location) {
      case .success(let hop): nextHop = hop
      case .failure(.place(let address)): return fail(.redirected(to: address))
      case .failure(.circle): return fail(.protocolViolation(detail: "it redirects in circles"))
      }
      return true
    }
    ticket.receiver?.response(status: status, headers: headers, contentLength: contentLength)
    return true
  }

  private var contentLength: Int64? {
    guard headers["Content-Encoding"] == nil, headers["Transfer-Encoding"] == nil else {
      return nil
    }
    return headers["Content-Length"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// What is not followed.
  private enum Refused: Error {
    case place(String)
    case circle
  }

  private func redirect(to location: String) -> Result<Hop, Refused> {
    guard let target = try? NetworkURL(location, relativeTo: hop.url) else {
      return .failure(.place(String(location.prefix(200))))
    }
    let refused = Result<Hop, Refused>.failure(.place(target.redacted))
    let isUpgrade = hop.url.scheme == "http" && target.scheme == "https"
    let isSamePlace =
      target.host == hop.url.host
      && (isUpgrade || (target.scheme == hop.url.scheme && target.port == hop.url.port))
    var next = hop
    next.url = target
    next.number += 1
    next.isAbroad = hop.isAbroad || !isSamePlace
    if status == 303, hop.method != .head {
      next.method = .get
      next.body = []
      next.upload = nil
    }
    // 301 and 302 would turn a POST into a GET by custom: say it instead of doing half of it.
    let isKept = hop.method.isIdempotent || [303, 307, 308].contains(status)
    guard isKept, isUpgrade || target.scheme == hop.url.scheme else { return refused }
    guard isSamePlace || (ticket.request.followsToOtherHosts && hop.method.isIdempotent) else {
      return refused
    }
    guard next.number <= Self.hopLimit else { return .failure(.circle) }
    return .success(next)
  }

  /// Stops reading where the receiver has enough; curl brings the same bytes again later.
  fileprivate func pausesIfFull() -> Bool {
    guard nextHop == nil, let receiver = ticket.receiver, receiver.isFull else { return false }
    isPaused = true
    return true
  }

  /// Goes on reading where the receiver wants more.
  func resumeIfWanted() {
    guard isPaused, ticket.receiver?.isFull == false else { return }
    isPaused = false
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    if nextHop != nil { return true }
    guard let receiver = ticket.receiver else {
      guard body.count + bytes.count <= sizeLimit else { return fail(.tooLarge(limit: sizeLimit)) }
      body.append(contentsOf: bytes)
      return true
    }
    guard (200..<300).contains(status) else {
      body.append(contentsOf: bytes.prefix(Self.errorBodyLimit - body.count))
      return true
    }
    return receiver.data(bytes) || fail(.aborted)
  }

  private func fail(_ cause: TransportError.Cause) -> Bool {
    failure = failure ?? cause
    return false
  }

  // MARK: - The end

  /// What the transfer came to.
  func result(
    _ code: CURLcode, _ configuration: TransportConfiguration
  ) -> Result<HTTPResponse, TransportError> {
    let cause = failure ?? cause(code, configuration)
    if let cause {
      return .failure(
        TransportError(
          operation: ticket.request.method.rawValue, url: hop.url.redacted, cause: cause,
          wasSent: wasSent))
    }
    return .success(
      HTTPResponse(
        url: hop.url, status: status, headers: headers, body: body, sentAt: sentAt,
        answeredAt: answeredAt ?? ContinuousClock.now))
  }

  /// The system's own word for a refused connection, shorter than curl's; nil where there is none.
  private var refusal: String? {
    var code = 0
    guard ccurl_easy_get_long(easy, CURLINFO_OS_ERRNO, &code) == CURLE_OK, code != 0,
      let text = strerror(Int32(code))
    else { return nil }
    return String(cString: text)
  }

  private func cause(
    _ code: CURLcode, _ configuration: TransportConfiguration
  ) -> TransportError.Cause? {
    let own = String(cString: errorText)
    let detail = own.isEmpty ? String(cString: curl_easy_strerror(code)) : own
    switch code {
    case CURLE_OK:
      return isHeadComplete ? nil : .protocolViolation(detail: "no head in the answer")
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      return .unknownHost(hop.url.host)
    case CURLE_COULDNT_CONNECT:
      return .unreachable(detail: refusal ?? detail)
    case CURLE_OPERATION_TIMEDOUT:
      return .timeout(detail: detail)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
      return .untrusted(host: hop.url.host, detail: detail)
    case CURLE_SSL_CACERT_BADFILE:
      // Without a file of ours it is the system's list of authorities that isn't there.
      guard let path = configuration.certificateFile else {
        return .untrusted(host: hop.url.host, detail: detail)
      }
      return .certificateFile(path: path)
    case CURLE_READ_ERROR where hop.upload != nil:
      return .unreadable(path: hop.upload?.path ?? "")
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
      CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return .interrupted(detail: detail)
    default:
      return .protocolViolation(detail: detail)
    }
  }
}
