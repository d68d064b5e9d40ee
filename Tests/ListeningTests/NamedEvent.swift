import Listening
import RoomProtocol

/// An event about a track, told by its id: what tests match on.
enum NamedEvent {
  case started(String)
  case ended(String)
  case unplayable(String, ListeningEvent.Unplayable)
  case other
}

extension ListeningEvent {
  var named: NamedEvent {
    switch self {
    case .started(let track): .started(track.id.rawValue)
    case .ended(let track): .ended(track.id.rawValue)
    case .unplayable(let track, let reason): .unplayable(track.id.rawValue, reason)
    default: .other
    }
  }

  var isStarted: Bool { if case .started = self { true } else { false } }
  var isConnected: Bool { if case .connected = self { true } else { false } }
  var isPosition: Bool { if case .position = self { true } else { false } }
  var isStrange: Bool { if case .strangeFrame = self { true } else { false } }
  var interruption: Interruption? { if case .disconnected(let what) = self { what } else { nil } }
}
