/// The frames of an mp3 file by number: where each is, and which are lost.
///
/// Walks the headers once, in order, and keeps what it learnt, so that a frame has the same number
/// on every path to it. Where bytes are broken it looks for the stream's next frame and counts the
/// frames that were there: those have numbers too, so that the timeline stays.
struct MPEGFrames {
  /// What stands at a number.
  enum Slot: Equatable {
    case frame(offset: Int64, byteCount: Int)
    /// A frame was here, but its bytes are broken.
    case lost
  }

  /// A stretch of lost frames.
  private struct Gap {
    /// The number of the first lost frame.
    var number: Int
    var count: Int
    /// Where the stream goes on.
    var resume: Int64
  }

  /// A known frame boundary.
  private struct Place {
    var number: Int
    var offset: Int64
  }

  private static let placeInterval = 64
  /// How many frames at the start must be of one bitrate for the others to be believed to be.
  private static let sample = 32
  /// How many frames a leap must save.
  private static let leap = 128

  private(set) var window: ByteWindow
  /// The header of the stream's first frame.
  let first: MPEGFrameHeader
  /// The Xing or Info tag; its frame is not counted.
  let tag: XingTag?
  private var gaps: [Gap] = []
  /// Known boundaries, each `placeInterval` frames or more apart, and those behind gaps.
  private var places: [Place]
  /// The boundary that the walk has reached.
  private var frontier: Place
  /// The boundary of the frame asked for last.
  private var head: Place
  /// The number of frames in all, once the end was reached.
  private(set) var total: Int?
  private var lastFrame: Place
  /// Whether all frames but the last one had the first one's bitrate.
  private var isConstant = true
  private var lastWasUsual = true
  /// The first frame of those that a leap has led to: the ones before it were not looked at.
  private var island: Int?

  /// Reads the first frame; nil when there is none.
  ///
  /// - Parameters:
  ///   - source: the file.
  ///   - offset: where its first frame is.
  /// - Throws: `ByteSourceError` when the source fails.
  init?(_ source: any ByteSource, at offset: Int64) throws(ByteSourceError) {
    window = ByteWindow(source)
    guard let first = MPEGFrameHeader(try window.view(at: offset, count: 4)) else { return nil }
    self.first = first
    let frame = try window.view(at: offset, count: first.byteCount)
    tag = XingTag(header: first, frame: frame)
    let start = Place(number: 0, offset: tag == nil ? offset : offset + Int64(first.byteCount))
    places = [start]
    frontier = start
    head = start
    lastFrame = start
  }

  /// Whether so many frames of one stream follow each other from `offset` on (fewer, at least one,
  /// where the source ends exactly behind them).
  static func isStart(
    in window: inout ByteWindow, at offset: Int64, frames: Int, like model: MPEGFrameHeader? = nil
  ) throws(ByteSourceError) -> Bool {
    var at = offset
    var model = model
    for number in 0..<frames {
      let bytes = try window.view(at: at, count: 4)
      if number > 0, bytes.isEmpty { return true }
      guard let header = MPEGFrameHeader(bytes), model?.isCompatible(with: header) ?? true else {
        return false
      }
      model = header
      at += Int64(header.byteCount)
    }
    return true
  }

  /// The offset of the next byte that can start a header, nil at the end.
  static func nextSync(
    in window: inout ByteWindow, from offset: Int64
  ) throws(ByteSourceError) -> Int64? {
    var at = offset
    while true {
      let bytes = try window.view(at: at, count: 4096)
      guard let first = bytes.firstIndex(of: 0xFF) else {
        if bytes.isEmpty { return nil }
        at += Int64(bytes.count)
        continue
      }
      return at + Int64(first - bytes.startIndex)
    }
  }

  /// What stands at a number, nil at and past the end.
  mutating func slot(_ number: Int) throws(ByteSourceError) -> Slot? {
    if let total, number >= total { return nil }
    if number < head.number || number - head.number > Self.placeInterval {
      head = places[places.lastIndex(upTo: number, \.number) ?? 0]
    }
    while head.number < number {
      guard try advance() else { return nil }
    }
    if gap(at: number) != nil { return .lost }
    guard let size = try sizeOfHead() else { return nil }
    // Looking for the next frame may have found that this one is lost.
    return gap(at: number) != nil ? .lost : .frame(offset: head.offset, byteCount: size)
  }

  /// The bytes of a frame that `slot` named.
  mutating func bytes(at offset: Int64, count: Int) throws(ByteSourceError) -> ArraySlice<UInt8> {
    try window.view(at: offset, count: count)
  }

  /// The number of the first frame from which all frames up to `number` are whole.
  func startOfRun(before number: Int) -> Int {
    var index = gaps.lastIndex(upTo: number - 1, \.number)
    while let at = index, gaps[at].count == 0 { index = at > 0 ? at - 1 : nil }
    return index.map { min(gaps[$0].number + gaps[$0].count, number) } ?? 0
  }

  /// Walks to the end.
  ///
  /// - Returns: the number of frames in all.
  /// - Throws: `ByteSourceError` when the source fails.
  mutating func count() throws(ByteSourceError) -> Int {
    while total == nil {
      head = frontier
      guard try advance() else { break }
    }
    return total ?? frontier.number
  }

  /// Comes near a frame by arithmetic, where the way to it would have to be waited for and all
  /// frames have one bitrate.
  ///
  /// - Parameter number: the frame that will be asked for first.
  /// - Throws: `ByteSourceError` when the source fails.
  mutating func leap(to number: Int) throws(ByteSourceError) {
    if let island, number < island { restart() }
    let source = window.source
    guard source.canJump, !source.isComplete, tag?.isConstant ?? true, total == nil else { return }
    guard number > max(frontier.number, Self.sample) + Self.leap else { return }
    while frontier.number < Self.sample {
      head = frontier
      guard try advance(), gaps.isEmpty else { return }
    }
    guard isConstant, gaps.isEmpty, distance(of: frontier) <= 2 else { return }
    guard let offset = try boundary(near: number - 1) else { return }
    let frames = Double(offset - places[0].offset) / first.meanByteCount
    let place = Place(number: Int(frames.rounded()), offset: offset)
    guard distance(of: place) <= 2, (frontier.number...number).contains(place.number) else {
      return
    }
    island = place.number
    frontier = place
    head = place
    places.append(place)
  }

  /// By how many bytes a place differs from where frames of one length would put it.
  private func distance(of place: Place) -> Double {
    abs(Double(place.offset - places[0].offset) - Double(place.number) * first.meanByteCount)
  }

  /// The first place from shortly before a frame on where frames of the usual length follow.
  private mutating func boundary(near number: Int) throws(ByteSourceError) -> Int64? {
    let mean = first.meanByteCount
    var search = places[0].offset + Int64((Double(number) - 0.5) * mean)
    let limit = search + Int64(2 * mean)
    while let sync = try Self.nextSync(in: &window, from: search), sync < limit {
      if try isUsual(from: sync, frames: 8) { return sync }
      search = sync + 1
    }
    return nil
  }

  private mutating func isUsual(from offset: Int64, frames: Int) throws(ByteSourceError) -> Bool {
    var at = offset
    for _ in 0..<frames {
      guard let size = try frameSize(at: at), abs(Double(size) - first.meanByteCount) <= 1 else {
        return false
      }
      at += Int64(size)
    }
    return true
  }

  /// Forgets all frames but the first.
  private mutating func restart() {
    places.removeSubrange(1...)
    gaps = []
    (frontier, head, lastFrame) = (places[0], places[0], places[0])
    (island, total, isConstant, lastWasUsual) = (nil, nil, true, true)
  }

  private func gap(at number: Int) -> Gap? {
    guard let index = gaps.lastIndex(upTo: number, \.number) else { return nil }
    let gap = gaps[index]
    return number < gap.number + gap.count ? gap : nil
  }

  /// Moves `head` one slot on; false at the end.
  private mutating func advance() throws(ByteSourceError) -> Bool {
    if gap(at: head.number) == nil {
      guard let size = try sizeOfHead() else { return false }
      if gap(at: head.number) == nil {
        if head.number == frontier.number { pass(size) }
        head = Place(number: head.number + 1, offset: head.offset + Int64(size))
        jump()
        return true
      }
    }
    head.number += 1
    jump()
    return true
  }

  /// Takes `head` to where the stream goes on, at the end of a gap.
  private mutating func jump() {
    guard let index = gaps.lastIndex(upTo: head.number, \.number) else { return }
    // A tag between two frames is a gap of none, and may stand right behind another.
    for gap in gaps[max(0, index - 1)...index] where gap.number + gap.count == head.number {
      head.offset = max(head.offset, gap.resume)
    }
  }

  /// The length of the frame at `head`, looking for it where bytes are broken; nil at the end.
  ///
  /// Where frames are lost it is the length of the first one behind them.
  private mutating func sizeOfHead() throws(ByteSourceError) -> Int? {
    if let size = try frameSize(at: head.offset) { return size }
    // Where a frame was known the source has changed: nothing can be trusted any more.
    guard head.number == frontier.number, try discover() else { return nil }
    return try frameSize(at: frontier.offset)
  }

  /// Moves the frontier over the frame there.
  private mutating func pass(_ size: Int) {
    isConstant = isConstant && lastWasUsual
    lastWasUsual = abs(Double(size) - first.meanByteCount) <= 1
    lastFrame = frontier
    frontier = Place(number: frontier.number + 1, offset: frontier.offset + Int64(size))
    if frontier.number % Self.placeInterval == 0 { places.append(frontier) }
  }

  /// The length of the whole frame at an offset, nil where there is none.
  private mutating func frameSize(at offset: Int64) throws(ByteSourceError) -> Int? {
    guard let header = MPEGFrameHeader(try window.view(at: offset, count: 4)),
      header.isCompatible(with: first)
    else { return nil }
    let size = header.byteCount
    return try window.view(at: offset, count: size).count == size ? size : nil
  }

  /// Finds out why no frame starts at the frontier: a tag, broken bytes, or the end.
  ///
  /// False at the end.
  private mutating func discover() throws(ByteSourceError) -> Bool {
    let broken = frontier.offset
    var search = broken
    while let length = try EmbeddedTag.length(in: &window, at: search) { search += length }
    if search > broken, try frameSize(at: search) != nil {
      resume(at: search, lost: 0)
      return true
    }
    while let sync = try Self.nextSync(in: &window, from: search) {
      search = sync
      if try MPEGFrames.isStart(in: &window, at: search, frames: 2, like: first),
        try frameSize(at: search) != nil
      {
        resume(at: search, lost: lostFrames(from: broken, to: search))
        return true
      }
      search += 1
    }
    total = frontier.number
    return false
  }

  /// The number of frames that were in the broken bytes.
  private func lostFrames(from broken: Int64, to resume: Int64) -> Int {
    if isConstant, lastFrame.offset < broken {
      // The frame before may be the one whose length was broken: measure from its start.
      let frames = Double(resume - lastFrame.offset) / first.meanByteCount
      return max(0, Int(frames.rounded()) - 1)
    }
    let start = places[0].offset
    let mean =
      frontier.number > 0
      ? Double(broken - start) / Double(frontier.number) : first.meanByteCount
    return Int((Double(resume - broken) / max(mean, 1)).rounded())
  }

  /// Enters a gap at the frontier.
  private mutating func resume(at offset: Int64, lost: Int) {
    gaps.append(Gap(number: frontier.number, count: lost, resume: offset))
    frontier = Place(number: frontier.number + lost, offset: offset)
    places.append(frontier)
    lastWasUsual = true
    jump()
  }
}

extension Array {
  /// The index of the last element whose key is at most `limit`, in an array sorted by that key.
  fileprivate func lastIndex(upTo limit: Int, _ key: KeyPath<Element, Int>) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle][keyPath: key] <= limit { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
