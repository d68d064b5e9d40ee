extension ServerMessage: WireWritable {
  /// Writes the message as a server does; `unknown` and `broken`, which no server sends, are null.
  package var wire: JSONValue {
    switch self {
    case .state(let received):
      var state = received.state
      state.queue = try? received.queueText?.decode().elements
      return state.wire
    case .channelList(let channels):
      return .fields(["type": "channel_list", "channels": channels])
    case .switched(let channel):
      return JSONValue.fields(["type": "switched"]).adding(["channelId": channel])
    case .kick(let reason): return .fields(["type": "kick", "reason": reason])
    case .toast(let message, let kind):
      return .fields(["type": "toast", "message": message, "toastType": kind])
    case .scanProgress(let scanning, let processed, let total):
      return .fields([
        "type": "scan_progress", "scanning": scanning, "processed": processed, "total": total,
      ])
    case .fetch(let update):
      return JSONValue.fields(["type": update.type]).adding([
        "id": update.id, "status": update.status, "progress": update.progress,
        "title": update.title, "message": update.message, "trackId": update.trackID,
      ])
    case .error(let message): return .fields(["type": "error", "message": message])
    case .unknown, .broken: return .null
    }
  }
}
