import RoomProtocol
import Synchronization

/// Who is asked for room on the disk before a download takes it.
protocol DiskRoom: Sendable {
  /// Whether so much was free at the last look that a download need not wait for an answer.
  var hasPlenty: Bool { get }

  /// Makes room for a track's part, removing others where that helps.
  ///
  /// - Parameters:
  ///   - bytes: how large the part will be in all; asked again where it turns out larger.
  ///   - track: whose part it is.
  /// - Throws: why there is no room.
  func reserve(_ bytes: Int64, for track: TrackKey) async throws
}

/// How many bytes a download may keep by now.
///
/// Threading: from anywhere.
final class DownloadAllowance: Sendable {
  private struct State {
    var granted: Int64
    /// The question under way.
    var asking: Task<Void, Never>?
    var refusal: (any Error)?
  }

  private let room: any DiskRoom
  private let key: TrackKey
  /// What is taken before the answer is there: nothing where the limit is near.
  private let advance: Int64
  private let state: Mutex<State>

  /// How near to what is granted more is asked for.
  private static let ahead: Int64 = 1024 * 1024
  /// The most that comes at once.
  private static let piece: Int64 = 128 * 1024
  /// How much is asked for at a time where nobody knows how much will come.
  static let step: Int64 = 8 * 1024 * 1024

  init(_ room: any DiskRoom, for key: TrackKey) {
    self.room = room
    self.key = key
    advance = room.hasPlenty ? Self.ahead : -Self.piece
    state = Mutex(State(granted: 0))
  }

  /// Asks for more where `bytes` are not granted yet; the answer comes later.
  func ask(for bytes: Int64) {
    state.withLock { state in
      guard bytes > state.granted, state.asking == nil, state.refusal == nil else { return }
      state.asking = Task {
        var refusal: (any Error)?
        do { try await room.reserve(bytes, for: key) } catch { refusal = error }
        self.state.withLock {
          $0.asking = nil
          $0.refusal = refusal
          if refusal == nil { $0.granted = bytes }
        }
      }
    }
  }

  /// Waits for the answer to what was asked last: a small file is here before it.
  ///
  /// - Returns: why there is no room; nil where there is.
  func settled() async -> (any Error)? {
    await state.withLock(\.asking)?.value
    return refusal
  }

  /// Asks for the next step where a download of unknown length comes near what is granted.
  func askAhead(of offset: Int64) {
    let isNear = state.withLock { offset > $0.granted - Self.ahead }
    if isNear { ask(for: offset + Self.step) }
  }

  /// Whether a download that has come to `offset` must wait for an answer.
  func isExhausted(at offset: Int64) -> Bool {
    state.withLock { $0.asking != nil && offset >= $0.granted + advance }
  }

  /// Why there is no room; nil while there is, or nobody has said.
  var refusal: (any Error)? { state.withLock(\.refusal) }
}
