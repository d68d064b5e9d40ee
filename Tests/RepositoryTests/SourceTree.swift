import Glibc
import Testing
import TestSupport

/// One Swift file of ours, split into lines.
struct SourceFile: CustomTestStringConvertible {
  var path: String
  var lines: [Substring]

  /// The module it belongs to: the folder below Sources or Tests.
  var module: String { String(path.split(separator: "/")[1]) }

  var testDescription: String { path }

  /// The lines with comments and the insides of strings blanked, for what looks at code alone.
  var code: [String] {
    var isInText = false
    return lines.map { line in
      if line.contains("\"\"\"") {
        defer { isInText.toggle() }
        return ""
      }
      return isInText ? "" : Self.blank(line)
    }
  }

  private static func blank(_ line: Substring) -> String {
    var result = ""
    var isString = false
    var previous: Character = " "
    for character in line {
      if character == "\"" && previous != "\\" {
        isString.toggle()
      } else if isString {
        previous = previous == "\\" && character == "\\" ? " " : character
        continue
      }
      if character == "/" && previous == "/" { return String(result.dropLast()) }
      result.append(character)
      previous = character
    }
    return result
  }
}

/// The repository as the house rules look at it.
enum SourceTree {
  static let sources = files(below: "Sources")
  static let tests = files(below: "Tests")

  /// The modules `Package.swift` lets each module import.
  static let declared: [String: Set<String>] = {
    var result: [String: Set<String>] = [:]
    let text = manifest
    for piece in text.components(separatedBy: "module(").dropFirst() {
      let names = quoted(in: piece.prefix(upToClosing: ")"))
      if let name = names.first { result[name] = Set(names.dropFirst()) }
    }
    return result
  }()

  static let manifest: String = text(of: "Package.swift")

  static func text(of path: String) -> String {
    let bytes = (try? Fixture.bytes(at: "\(Fixture.root)/\(path)")) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func quoted(in text: Substring) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  private static func files(below folder: String) -> [SourceFile] {
    var found: [SourceFile] = []
    func visit(_ path: String) {
      guard let directory = opendir("\(Fixture.root)/\(path)") else { return }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name.hasPrefix(".") { continue }
        if Int32(entry.pointee.d_type) == Int32(DT_DIR) {
          visit("\(path)/\(name)")
        } else if name.hasSuffix(".swift") {
          let lines = text(of: "\(path)/\(name)").split(
            separator: "\n", omittingEmptySubsequences: false)
          found.append(SourceFile(path: "\(path)/\(name)", lines: lines))
        }
      }
    }
    visit(folder)
    return found.sorted { $0.path < $1.path }
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }
}

extension Substring {
  /// What comes before the bracket that closes the one before the text.
  fileprivate func prefix(upToClosing bracket: Character) -> Substring {
    var depth = 1
    for index in indices {
      if self[index] == "(" { depth += 1 }
      if self[index] == bracket { depth -= 1 }
      if depth == 0 { return self[..<index] }
    }
    return self
  }
}
