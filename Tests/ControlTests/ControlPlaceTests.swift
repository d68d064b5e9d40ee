import Control
import Glibc
import RoomProtocol
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct ControlPlaceTests {
  private func folders(_ folder: TemporaryFolder, runtime: String?) -> ControlFolders {
    var folders = ControlFolders(
      environment: runtime.map { ["XDG_RUNTIME_DIR": $0] } ?? [:], state: folder.file("state"))
    folders.users = folder.file("users")
    return folders
  }

  private func server(_ folders: ControlFolders, _ name: String = "default") throws -> ControlServer
  {
    try ControlServer(try folders.place(of: name), greeting: .object([]))
  }

  @Test func `the runtime folder is taken where it is set and there`() throws {
    let folder = try TemporaryFolder()
    mkdir(folder.file("runtime"), 0o755)
    let place = try folders(folder, runtime: folder.file("runtime")).place(of: "default")
    #expect(place.socketPath == folder.file("runtime/blastoise/default.sock"))
    #expect(permissions(of: place.folder) == 0o700)
  }

  @Test(arguments: [nil, "relative", "/nowhere/at/all"])
  func `without one the state folder does`(runtime: String?) throws {
    let folder = try TemporaryFolder()
    let place = try folders(folder, runtime: runtime).place(of: "default")
    #expect(place.folder == folder.file("state/run"))
    #expect(permissions(of: place.folder) == 0o700)
    #expect(permissions(of: folder.file("state")) == 0o700)
  }

  @Test func `where the variable is unset the system's folder of the user is looked at`()
    async throws
  {
    let folder = try TemporaryFolder()
    let own = folder.file("users/\(geteuid())")
    mkdir(folder.file("users"), 0o755)
    mkdir(own, 0o700)
    // The listener of a login, the verb of cron.
    let listener = try server(folders(folder, runtime: own))
    defer { listener.close() }
    let client = try await ControlClient.connect(to: "default", in: folders(folder, runtime: nil))
    #expect(client.place.folder == "\(own)/blastoise")
    #expect(try folders(folder, runtime: nil).place(of: "other").folder == "\(own)/blastoise")
  }

  @Test func `a folder that is too open is closed`() throws {
    let folder = try TemporaryFolder()
    mkdir(folder.file("blastoise"), 0o777)
    chmod(folder.file("blastoise"), 0o777)
    _ = try folders(folder, runtime: folder.path).place(of: "default")
    #expect(permissions(of: folder.file("blastoise")) == 0o700)
  }

  @Test func `a link or a file in the folder's place is refused, and not followed by clients`()
    async throws
  {
    let folder = try TemporaryFolder()
    mkdir(folder.file("elsewhere"), 0o700)
    symlink(folder.file("elsewhere"), folder.file("blastoise"))
    let linked = folders(folder, runtime: folder.path)
    #expect(throws: ControlError.foreignFolder(folder.file("blastoise"), .symbolicLink)) {
      _ = try linked.place(of: "default")
    }
    await #expect(throws: ControlError.noListener(instance: "default")) {
      _ = try await ControlClient.connect(to: "default", in: linked)
    }
    unlink(folder.file("blastoise"))
    try folder.write("blastoise", [])
    #expect(throws: ControlError.foreignFolder(folder.file("blastoise"), .notAFolder)) {
      _ = try linked.place(of: "default")
    }
  }

  @Test func `a folder of another user is refused`() throws {
    // Only root can make one; the rule is the same for all.
    guard geteuid() == 0 else { return }
    let folder = try TemporaryFolder()
    mkdir(folder.file("blastoise"), 0o700)
    chown(folder.file("blastoise"), 12345, 12345)
    let foreign = folders(folder, runtime: folder.path)
    #expect(throws: ControlError.foreignFolder(folder.file("blastoise"), .ownedByAnother)) {
      _ = try foreign.place(of: "default")
    }
    chown(folder.file("blastoise"), 0, 0)
  }

  @Test(arguments: [
    "", ".", "..", ".hidden", "a/b", "a b", "é", "a\n", String(repeating: "x", count: 65),
  ])
  func `bad names are refused`(name: String) throws {
    #expect(throws: ControlError.badName(name)) {
      _ = try ControlPlace(instance: name, folder: "/tmp")
    }
  }

  @Test(arguments: ["default", "demo-123", "Living.Room_2"]) func `good names are taken`(
    name: String
  ) throws {
    #expect(ControlPlace.isName(name))
  }

  @Test func `a path too long for a socket is named`() throws {
    let folder = "/" + String(repeating: "x", count: 100)
    #expect(throws: ControlError.pathTooLong("\(folder)/a.sock", limit: 107)) {
      _ = try ControlPlace(instance: "a", folder: folder)
    }
    #expect(throws: Never.self) {
      _ = try ControlPlace(instance: "a", folder: "/" + String(repeating: "x", count: 99))
    }
  }

  @Test func `a second listener is told who the first is, and the first goes on`() async throws {
    let folder = try TemporaryFolder()
    let folders = folders(folder, runtime: folder.path)
    let first = try server(folders)
    #expect(throws: ControlError.running(instance: "default", pid: getpid())) {
      _ = try server(folders)
    }
    let other = try server(folders, "other")
    let client = try await ControlClient.connect(to: "default", in: folders)
    #expect(client.place == first.place)
    #expect(folders.all.map(\.instance) == ["default", "other"])
    other.close()
    first.close()
    let third = try server(folders)
    third.close()
  }

  @Test func `the socket of the dead is taken over`() async throws {
    let folder = try TemporaryFolder()
    let folders = folders(folder, runtime: folder.path)
    let place = try folders.place(of: "default")
    // As kill -9 leaves it: a socket nobody listens on, a lock nobody holds.
    let dead = try localSocket(place.socketPath, bind)
    close(dead)
    try folder.write("blastoise/default.lock", Array("99999\n".utf8))
    await #expect(throws: ControlError.noListener(instance: "default")) {
      _ = try await ControlClient.connect(to: "default", in: folders)
    }
    let listener = try server(folders)
    _ = try await ControlClient.connect(to: "default", in: folders)
    listener.close()
  }

  @Test func `a listener that does not answer is given up`() async throws {
    let folder = try TemporaryFolder()
    let place = try ControlPlace(instance: "mute", folder: folder.path)
    let mute = try localSocket(place.socketPath, bind)
    defer { close(mute) }
    listen(mute, 1)
    await #expect(throws: ControlError.silent(instance: "mute")) {
      _ = try await ControlClient.connect(to: place, within: .milliseconds(50))
    }
  }
}
