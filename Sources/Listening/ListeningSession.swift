import Caching
import PCM
package import Platform
import Playback
package import RoomClient
import RoomProtocol
import RoomSync

/// A listener: joins a room, follows it, and plays what it plays, until told to stop.
///
/// One actor joins the parts: frames of the socket and words of the player go into the
/// `SyncEngine`, its actions go to the player. Nothing in it blocks.
///
/// ```swift
/// let session = ListeningSession(configuration, server: server)
/// let listening = Task { try await session.run() }
/// for await event in session.events { show(event) }
/// ```
package actor ListeningSession {
  /// What happens, in order; ends with `run`.
  package nonisolated let events: AsyncStream<ListeningEvent>

  let configuration: ListeningConfiguration
  let time: TimeSource
  let emit: AsyncStream<ListeningEvent>.Continuation
  let player: Player
  let cache: TrackCache
  let fetcher: APITrackFetcher
  var server: ServerSession

  var engine: SyncEngine
  var playhead: Playhead?
  var loading: Task<Void, Never>?
  /// The track that is brought for later.
  var ahead: Ahead?
  /// The files of the current and of the next track.
  var held: [TrackID: CachedFile] = [:]
  /// The download that was called off last: nothing is asked of the cache before that is done.
  var calledOff: Task<Void, Never>?
  /// The outage there is.
  var outage: Outage?
  var socket: RoomSocket?
  /// Counts the sockets: what still comes of an older one is passed over.
  var socketNumber = 0
  /// What comes of all sockets, in order.
  var traffic = AsyncStream<Traffic>.makeStream()
  /// What stays connected to a room.
  var attendance: Task<Void, any Error>?
  /// What is played in the place of the room.
  var local: LocalPlay?
  /// The way back to a room that is under way.
  var comingBack: Return?
  /// Wakes who waits to go back to a room.
  let turns = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// Decides in shuffle.
  var chance = SystemRandomNumberGenerator()
  /// The room that is to be joined, by id, name or a beginning of either.
  var roomWish: String?
  /// The room the socket is to.
  var target: ChannelInfo?
  /// The room we were let into last.
  var joined: ChannelInfo?
  /// The change of rooms that is under way.
  var move: Move?
  var channels: [ChannelInfo] = []
  /// Who the server takes us for.
  var identity = AuthEnvelope(user: nil)
  var user: User? { identity.user }
  var volume: Int
  var isMuted = false
  /// How often the sound was put right: seeks and skips.
  var corrections = 0
  /// The device that is open.
  var device: OpenDevice?
  /// Set where listening can't go on.
  var end: ListeningEnd?
  var announced = Announced()
  var wishes: [Wish] = []
  /// When the last state came.
  var stateAt: ContinuousClock.Instant?
  /// The last queue as it came, for who follows the room through us.
  var lastQueue: ReceivedQueue?
  /// Counts the queues that differ from the one before.
  var queueNumber = 0
  /// Queues to be decoded; of those that wait only the last one counts.
  let queueTexts = AsyncStream<ReceivedQueue>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// Wakes who renews the library's listing.
  let libraryWishes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// Whether the listing that is kept is known to be old.
  var isLibraryOld = false
  /// Whether anything was heard yet.
  var hasSounded = false
  /// Wakes the ticker when something begins to play.
  let playing = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// What was told last, so that it is told once.
  struct Announced {
    var state: ChannelState?
    var track: TrackID?
    var strangers: Set<String> = []
  }

  /// What came of one of the sockets.
  struct Traffic: Sendable {
    var number: Int
    var event: RoomSocketEvent
  }

  /// A queue as text, to be decoded off the actor.
  struct ReceivedQueue: Sendable, Equatable {
    var text: QueueText
    var channel: ChannelID
  }

  /// Makes a listener; nothing is opened or connected before `run`.
  ///
  /// - Parameters:
  ///   - configuration: what to listen to and how.
  ///   - server: the server and the session with it; it ends with `run`.
  ///   - time: where time comes from.
  package init(
    _ configuration: ListeningConfiguration, server: ServerSession, time: TimeSource = .live
  ) {
    self.configuration = configuration
    self.server = server
    self.time = time
    (events, emit) = AsyncStream<ListeningEvent>.makeStream()
    engine = SyncEngine(policy: configuration.policy)
    volume = configuration.volume
    roomWish = configuration.room
    var settings = configuration.player
    settings.landsExactly = configuration.policy.correctsRate
    player = Player(settings: settings, makeSink: configuration.makeSink)
    fetcher = APITrackFetcher(api: server.api)
    cache = TrackCache(
      folder: configuration.cacheFolder, limits: configuration.cacheLimits, fetcher: fetcher)
  }

  /// Listens until the task is cancelled, or nothing is left to wait for.
  ///
  /// - Throws: `ListeningEnd`, or `CancellationError` after a cancel.
  package func run() async throws {
    player.setVolume(Gain.amplitude(volume: volume))
    player.prepare()
    let library = Task { await keepLibrary() }
    let pumps = [
      Task { await pumpPlayer() }, Task { await pumpCache() }, Task { await decodeQueues() },
      Task { await tickWhilePlaying() }, library,
    ]
    let result: Result<Void, any Error>
    do {
      if let queue = configuration.library { playLocally(queue) }
      try await attend()
      result = .success(())
    } catch {
      result = .failure(error)
    }
    socket?.close()
    failReturn(.notConnected)
    loading?.cancel()
    ahead?.waiting?.cancel()
    for pump in pumps { pump.cancel() }
    await shutDown()
    // It may be writing: whoever removes the cache's folder afterwards is to find it at rest.
    await library.value
    emit.finish()
    try result.get()
  }

  /// Ends the threads of sound and network, side by side and off the pool: they are joined.
  private func shutDown() async {
    let (player, server) = (player, server)
    async let silence: Void = Self.block { player.shutdown() }
    async let departure: Void = Self.block { server.shutdown() }
    _ = await (silence, departure)
    await cache.close()
  }

  /// Does something that blocks on a thread of its own.
  private static func block(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
      _ = NamedThread(name: "goodbye") {
        body()
        done.resume()
      }
    }
  }
}
