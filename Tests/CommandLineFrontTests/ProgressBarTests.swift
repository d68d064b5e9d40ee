import Glibc
import TestSupport
import Testing

@testable import CommandLineFront

@Suite struct ProgressBarTests {
  private func line(_ part: Double?, columns: Int = 80, isPlain: Bool = true) -> String {
    ProgressBar.line("Song.mp3", part, "1.2 MB/s", columns: columns, isPlain: isPlain)
  }

  @Test func `a wide terminal shows everything`() {
    #expect(line(0.5) == "Song.mp3  [##########----------]  50 %  1.2 MB/s")
    #expect(line(0.999) == "Song.mp3  [###################-]  99 %  1.2 MB/s")
    #expect(line(1, isPlain: false) == "Song.mp3  ████████████████████ 100 %  1.2 MB/s")
    #expect(line(nil) == "Song.mp3  1.2 MB/s")
    #expect(line(-3) == "Song.mp3  [--------------------]   0 %  1.2 MB/s")
  }

  @Test(arguments: 0...90)
  func `a line fits`(columns: Int) {
    let name = "東京事変 - a name that is longer than any narrow terminal"
    for part in [nil, 0, 0.3, 1.0, .infinity] {
      let line = ProgressBar.line(name, part, "ab", columns: columns, isPlain: false)
      #expect(Printable.width(line) <= max(columns, 7), "\(line)")
    }
  }

  @Test func `off a terminal a line comes now and then`() throws {
    let recorder = try Recorder()
    let time = ManualTime()
    let bar = ProgressBar(recorder.console(), label: "a", now: { time.now })
    for percent in 0...100 {
      bar.update(Double(percent) / 100, detail: "x")
      time.advance(by: .milliseconds(150))
    }
    bar.update(nil)
    time.advance(by: .seconds(11))
    bar.update(nil, detail: "y")
    bar.clear()
    let lines = try recorder.lines()
    #expect(lines.first == "a   10 %  x")
    #expect(lines.count == 11)
    #expect(lines.last == "a  y")
  }

  @Test func `a quiet one says nothing`() throws {
    let recorder = try Recorder()
    let bar = ProgressBar(recorder.console(isQuiet: true), label: "a")
    bar.update(1)
    bar.note("b")
    bar.clear()
    #expect(try recorder.lines().isEmpty)
  }

  /// What a console writes to standard error, in a file.
  private final class Recorder {
    private let folder: TemporaryFolder
    private let file: Int32

    init() throws {
      folder = try TemporaryFolder()
      file = open(folder.file("err"), O_RDWR | O_CREAT, 0o600)
    }

    deinit { close(file) }

    func console(isQuiet: Bool = false) -> Console {
      Console(errors: file, isQuiet: isQuiet)
    }

    func lines() throws -> [String] {
      String(decoding: try Fixture.bytes(at: folder.file("err")), as: UTF8.self)
        .split(separator: "\n").map(String.init)
    }
  }
}
