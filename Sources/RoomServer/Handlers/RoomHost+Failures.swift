import RoomProtocol
import Transport

/// Answers that are wrong on purpose.
extension RoomHost {
  /// How a request fails, nil where it does not; what fails once is used up.
  func failure(of request: IncomingRequest) -> Faults.RouteFailure? {
    guard let index = faults.failures.firstIndex(where: { $0.concerns(request) }) else {
      return nil
    }
    let failure = faults.failures[index]
    if failure.repetition == .once { faults.failures.remove(at: index) }
    return failure
  }

  /// How a request fails that is not to be obeyed; nil, and nothing used up, where it is.
  func refusal(of request: IncomingRequest) -> Faults.RouteFailure? {
    let isObeyed = faults.failures.first { $0.concerns(request) }?.isDone ?? true
    return isObeyed ? nil : failure(of: request)
  }
}

extension Faults.RouteFailure {
  fileprivate func concerns(_ request: IncomingRequest) -> Bool {
    if let endpoint {
      let route = Route(method: request.method, path: request.path, isEncoded: false)
      return route?.endpoint == endpoint
    }
    return (method ?? request.method) == request.method && request.path.hasPrefix(path)
  }
}

extension Faults.BadAnswer {
  /// Gives the answer, or what comes in its place.
  func give(to exchange: HTTPExchange) {
    switch self {
    case .silence: return
    case .hangUp: exchange.hangUp()
    default: exchange.respond(response)
    }
  }

  /// The answer where there is one.
  var response: OutgoingResponse {
    switch self {
    case .status(let status): return .error(status, "failing on purpose")
    case .page(let status, let title):
      return .text(
        status, "text/html; charset=utf-8",
        "<!DOCTYPE html>\n<html><head><title>\(title)</title></head><body>\(title)</body></html>\n")
    case .text(let status, let text): return .text(status, "text/plain", text)
    case .redirect(let status, let place):
      var response = OutgoingResponse(status: status)
      response.headers.add("Location", place)
      return response
    case .half:
      var response = OutgoingResponse(json: [UInt8](repeating: UInt8(ascii: "["), count: 1000))
      response.cut = 20
      return response
    case .nothing(let status): return OutgoingResponse(status: status)
    case .silence, .hangUp: return OutgoingResponse(status: 500)
    }
  }
}

extension OutgoingResponse {
  fileprivate static func text(_ status: Int, _ type: String, _ text: String) -> OutgoingResponse {
    var response = OutgoingResponse(status: status, body: .bytes(Array(text.utf8)))
    response.headers.add("Content-Type", type)
    return response
  }
}
