import RoomProtocol
import RoomServer
import TestSupport
import Testing

@testable import CommandLineFront

/// Edits of a queue that somebody else edits at the same moment.
@Suite(.timeLimit(.minutes(3))) struct QueueEditingTests {
  private static let tracks = (1...6).map { Track(id: TrackID("t\($0)"), title: "T\($0)") }

  private func ids(_ shell: Shell) async -> String {
    await shell.server.state()?.queue?.map { String($0.id.rawValue.dropFirst()) }.joined() ?? ""
  }

  /// Runs a command that must succeed.
  private func done(_ shell: Shell, _ line: String) async throws {
    let result = try await shell.run(line)
    #expect(result.status == .done, "\(result.errors)")
  }

  /// Waits until the room as an edit sees it has these rows, and plays one of them.
  private func see(_ rows: String, at index: Int = 0, by edit: QueueEditing) async throws {
    try await eventually("\(rows) at \(index)") {
      try await edit.visit.catchUp()
      let seen = edit.visit.queue?.map { String($0.id.rawValue.dropFirst()) }.joined()
      return seen == rows && edit.visit.state?.currentIndex == index
    }
  }

  /// A room with `123456`, ada's shell and grace's.
  private func withTwo(_ body: (Shell, Shell) async throws -> Void) async throws {
    try await Shell.with(Self.tracks) { shell in
      try await shell.signUp("ada")
      let other = try shell.another()
      try await other.signUp("grace")
      try await body(shell, other)
    }
  }

  @Test func `six shells add at once, and each is told that it has`() async throws {
    try await Shell.with(Self.tracks) { shell in
      let results = try await withThrowingTaskGroup { group in
        for number in 1...6 {
          let own = try shell.another()
          try await own.signUp("user\(number)")
          _ = try await own.run("library refresh")
          group.addTask { try await own.run("queue add t\(number) --json") }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for result in results { #expect(result.status == .done, "\(result.errors)") }
      let all = await ids(shell)
      #expect(all.count == 12)
      #expect(all.hasPrefix("123456"))
      #expect(all.suffix(6).sorted() == ["1", "2", "3", "4", "5", "6"])
    }
  }

  @Test func `rows that have moved meanwhile are left alone`() async throws {
    try await withTwo { shell, other in
      let failure = try await shell.editing { edit in
        try await done(other, "queue add t6 --at 1")
        try await see("6123456", at: 1, by: edit)
        return await #expect(throws: Diagnostic.self) { try await edit.remove([1]) }
      }
      #expect(failure?.code == .conflict)
      #expect(failure?.message.hasPrefix("the queue has changed meanwhile: it is revision") == true)
      #expect(await ids(shell) == "6123456")
    }
  }

  @Test func `rows above what has changed are edited all the same`() async throws {
    try await withTwo { shell, other in
      try await shell.editing { edit in
        try await done(other, "queue remove 5-6")
        try await see("1234", by: edit)
        try await edit.remove([1])
      }
      #expect(await ids(shell) == "134")
      try await shell.editing { edit in
        try await done(other, "queue add t6")
        try await see("1346", by: edit)
        try await edit.apply([.move([1], to: 0)], wishing: ["t3", "t1", "t4"])
      }
      #expect(await ids(shell) == "3146")
    }
  }

  @Test func `what is added comes behind what others have added meanwhile`() async throws {
    try await withTwo { shell, other in
      let place = try await shell.editing { edit in
        try await done(other, "queue add t5 t6")
        try await see("12345656", by: edit)
        return try await edit.add([Self.tracks[0]])
      }
      #expect(place == 8)
      #expect(await ids(shell) == "123456561")
    }
  }

  @Test func `next is behind what plays when it is added`() async throws {
    try await withTwo { shell, _ in
      let place = try await shell.editing(["next": ""]) { edit in
        await shell.server.control(.jump(index: 3))
        try await see("123456", at: 3, by: edit)
        return try await edit.add([Self.tracks[5]])
      }
      #expect(place == 4)
      #expect(await ids(shell) == "1234656")
    }
  }

  @Test func `a place that was named is no other one`() async throws {
    try await withTwo { shell, other in
      let failure = try await shell.editing(["at": "3"]) { edit in
        try await done(other, "queue remove 1")
        try await see("23456", by: edit)
        return await #expect(throws: Diagnostic.self) { try await edit.add([Self.tracks[0]]) }
      }
      #expect(failure?.code == .conflict)
      #expect(await ids(shell) == "23456")
    }
  }

  @Test func `a revision binds to the last moment`() async throws {
    try await withTwo { shell, other in
      let revision = QueueRows(tracks: Self.tracks, currentIndex: 0).revision
      let failure = try await shell.editing(["rev": revision.uppercased()]) { edit in
        try await done(other, "queue add t1")
        try await see("1234561", by: edit)
        return await #expect(throws: Diagnostic.self) { try await edit.add([Self.tracks[0]]) }
      }
      #expect(failure?.code == .conflict)
      #expect(await ids(shell) == "1234561")
    }
  }

  @Test func `a whole new queue is put in the place of the one that was seen alone`() async throws {
    try await withTwo { shell, other in
      let failure = try await shell.editing { edit in
        try await done(other, "queue add t1")
        try await see("1234561", by: edit)
        return await #expect(throws: Diagnostic.self) {
          try await edit.apply([.set([])], wishing: [])
        }
      }
      #expect(failure?.code == .conflict)
      #expect(await ids(shell) == "1234561")
    }
  }

  @Test func `an edit whose answer is lost is done all the same`() async throws {
    try await withTwo { shell, _ in
      var faults = Faults()
      faults.answerDelay = .milliseconds(1300)
      let slow = faults
      let place = try await shell.editing(["timeout": "1"]) { edit in
        await shell.server.setFaults(slow)
        return try await edit.add([Self.tracks[0]])
      }
      #expect(place == 6)
      #expect(await ids(shell) == "1234561")
    }
  }

  @Test(arguments: ["zz", "12345", "", "4f2g", "４f2a"])
  func `what is no revision is no reason to try again`(text: String) async throws {
    try await Shell.with(Self.tracks) { shell in
      let result = try await shell.run("queue remove 1 --rev=\(text)")
      #expect(result.status == .usage)
      #expect(result.errors.hasPrefix("blastoise: --rev takes a revision, not \"\(text)\"\n"))
    }
  }

  @Test func `what can't be played is left out of a playlist, which is said`() async throws {
    let gone = Track(id: "t7", title: "T7", available: false)
    try await Shell.with(Self.tracks + [gone]) { shell in
      try await shell.signUp("ada")
      try await done(shell, "queue set t1")
      try await done(shell, "playlist create Evening t2")
      try await done(shell, "playlist create Empty")
      let session = try await shell.session()
      var desk = try await PlaylistDesk("Evening", on: session, shell.context())
      try await desk.add(["t7", "t3"], at: nil)
      await session.end()
      for line in ["playlist queue Evening -q", "queue add --playlist Evening -q"] {
        let result = try await shell.run(line)
        #expect(result.status == .done, "\(line)")
        #expect(result.errors.hasPrefix("blastoise: left out "), "\(line): \(result.errors)")
      }
      #expect(await ids(shell) == "12323")
      for line in ["playlist queue Empty", "queue add --playlist Empty"] {
        let result = try await shell.run(line)
        #expect(result.status == .notThere)
        #expect(result.errors == "blastoise: the playlist \"Empty\" is empty\n")
      }
    }
  }

  @Test func `tracks are added to a playlist by two at once`() async throws {
    try await withTwo { shell, _ in
      #expect(try await shell.run("playlist create Evening t1 t2").status == .done)
      let session = try await shell.session()
      let context = try shell.context()
      var desk = try await PlaylistDesk("Evening", on: session, context)
      #expect(try await shell.run("playlist add Evening t3").status == .done)
      #expect(try await desk.add(["t4", "t5"], at: nil) == 3)
      #expect(desk.playlist.trackIDs == ["t1", "t2", "t3", "t4", "t5"])
      // What is bound to rows is told otherwise.
      #expect(try await shell.run("playlist remove Evening 1").status == .done)
      let failure = await #expect(throws: Diagnostic.self) {
        try await desk.edit([.remove([1])], expecting: ["t1", "t3", "t4", "t5"], what: "cannot")
      }
      #expect(failure?.code == .unconfirmed)
      await session.end()
    }
  }
}
