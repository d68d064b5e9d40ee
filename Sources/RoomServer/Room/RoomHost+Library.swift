import RoomProtocol

/// The library as it grows, and the default channel that follows it.
extension RoomHost {
  /// Makes what is known the library, and tells everyone.
  func publishLibrary() {
    let before = Set(library.tracks)
    library.replace(folderEntries + addedEntries)
    // What the last run of the server had is no news: people may have taken it out of the queue.
    let new = library.tracks.filter { !before.contains($0) && !rememberedTracks.contains($0) }
    for channel in channels {
      channel.forgetEncoding()
      guard channel.isDefault, channel.follow(new: new, at: now) else { continue }
      changed(channel)
      sendState(of: channel, withQueue: true)
    }
    channelListChanged()
  }

  /// Calls back when the library is complete: at once, or after the scan that runs.
  func whenScanned(_ action: @escaping () -> Void) {
    if isScanning { scanWaiters.append(action) } else { action() }
  }

  /// Scans the music folder beside the room; does nothing while that goes on already.
  func scanLibrary() {
    guard let folder = configuration.musicFolder, !isScanning else { return }
    isScanning = true
    scanned = (try? fileStore.all()) ?? [:]
    rememberedTracks = Set(scanned.values.map(\.track.id))
    // What is known from the last run is there at once.
    if !scanned.isEmpty { publishFolder(scanned.values) }
    let worker = scans
    let scanner = LibraryScanner(
      folder: folder, known: scanned, probe: probeTrack, isCancelled: { worker.isCancelled })
    worker.run {
      let scan = LibraryScan { batch in worker.post { $0.scanWent(on: batch) } }
      let files = scanner.scan { scan.collect($0) }
      scan.flush()
      return { $0.scanEnded(with: files) }
    }
  }

  private func scanWent(on batch: LibraryScan.Batch) {
    for (path, reason) in batch.skipped { log("skipped \(path): \(reason)") }
    keep(batch.files)
    broadcast(.scanProgress(scanning: true, processed: batch.processed, total: batch.total))
    // A long first scan shows what it has each time that has doubled: something can be heard.
    if scanned.count >= 2 * max(1, folderEntries.count) { publishFolder(scanned.values) }
  }

  /// What a scan that is given up has found so far: it is in the database, so it is to be in the
  /// default channel too.
  func publishUnfinishedScan() {
    if isScanning { publishFolder(scanned.values) }
  }

  private func scanEnded(with files: [ScannedFile]?) {
    isScanning = false
    if var files {
      let present = Set(files.map(\.path))
      // The scan may have been past the place of what came meanwhile.
      files += arrived.filter { !present.contains($0.path) }
      let all = Set(files.map(\.path))
      let gone = scanned.keys.filter { !all.contains($0) }
      do { try fileStore.delete(gone) } catch { log("database: \(error)") }
      publishFolder(files)
      log("library: \(library.tracks.count) tracks in \(files.count) files")
      broadcast(.scanProgress(scanning: false, processed: files.count, total: files.count))
    }
    arrived.removeAll()
    let waiters = scanWaiters
    scanWaiters.removeAll()
    scanned.removeAll()
    waiters.forEach { $0() }
  }

  private func keep(_ files: [ScannedFile]) {
    for file in files { scanned[file.path] = file }
    guard !files.isEmpty else { return }
    do { try fileStore.save(files) } catch { log("database: \(error)") }
  }

  /// Adds a file to the library that has just come into the folder.
  func keep(arrived file: ScannedFile) {
    do { try fileStore.save([file]) } catch { log("database: \(error)") }
    if isScanning {
      scanned[file.path] = file
      arrived.append(file)
    }
    let path = "\(configuration.musicFolder ?? "")/\(file.path)"
    // A file of that name that is gone from the disk may still be among them.
    folderEntries.removeAll { $0.path == path }
    let index = folderEntries.firstIndex { $0.path ?? "" > path } ?? folderEntries.endIndex
    folderEntries.insert(LibraryEntry(track: file.track, path: path), at: index)
    publishLibrary()
  }

  private func publishFolder(_ files: some Sequence<ScannedFile>) {
    let folder = configuration.musicFolder ?? ""
    folderEntries = files.sorted { $0.path < $1.path }.map {
      LibraryEntry(track: $0.track, path: "\(folder)/\($0.path)")
    }
    publishLibrary()
  }
}
