import Testing

/// The rules of docs/development.md that a program can check.
@Suite struct HouseRulesTests {
  @Test func `the source tree is found`() {
    #expect(SourceTree.sources.count > 50)
    #expect(SourceTree.declared["Playback"]?.contains("CALSA") == true)
  }

  @Test func `each C library has one importing module`() {
    var importers: [String: Set<String>] = [:]
    for file in SourceTree.sources {
      for name in imports(of: file)
      where name.hasPrefix("C") && name.dropFirst().first?.isUppercase == true {
        importers[name, default: []].insert(file.module)
      }
    }
    #expect(importers.count >= 9)
    for (library, modules) in importers {
      #expect(modules.count == 1, "\(library) is imported by \(modules.sorted())")
    }
  }

  @Test func `a module imports only what the manifest names`() {
    let ours = Set(SourceTree.declared.keys).union(SourceTree.declared.values.flatMap { $0 })
    for file in SourceTree.sources {
      guard let uses = SourceTree.declared[file.module] else { continue }
      for name in imports(of: file) where ours.contains(name) {
        #expect(uses.contains(name), "\(file.path) imports \(name)")
      }
    }
  }

  @Test func `Foundation is never imported, nor a part of it`() {
    for file in SourceTree.sources {
      let imports = imports(of: file)
      #expect(!imports.contains { $0.hasPrefix("Foundation") }, "\(file.path)")
    }
  }

  @Test func `no file is longer than 500 lines and no function than 60`() {
    for file in SourceTree.sources + SourceTree.tests {
      #expect(file.lines.count <= 500, "\(file.path) has \(file.lines.count) lines")
      for function in functions(of: file) {
        #expect(function.length <= 60, "\(file.path):\(function.line) has \(function.length) lines")
      }
    }
  }

  @Test func `each escape hatch has a SAFETY note, and there are few`() {
    let hatches = ["@unchecked Sendable", "nonisolated(unsafe)", "unsafeBitCast"]
    var count = 0
    for file in SourceTree.sources {
      for (index, line) in file.code.enumerated() where hatches.contains(where: line.contains) {
        count += 1
        let above = file.lines[max(0, index - 8)..<index]
        #expect(
          above.contains { $0.contains("// SAFETY:") }, "\(file.path):\(index + 1) has no note")
      }
    }
    #expect(count <= 20, "\(count) escape hatches")
  }

  @Test func `what crosses a module is documented`() {
    let kinds = [
      "func ", "var ", "let ", "struct ", "enum ", "class ", "protocol ", "actor ", "typealias ",
    ]
    for file in SourceTree.sources where file.module != "blastoise-bench" {
      for (index, line) in file.lines.enumerated() {
        let words = line.drop { $0 == " " }
        guard words.hasPrefix("package "), !words.hasPrefix("package import"),
          kinds.contains(where: words.contains), !isPlainProperty(line)
        else { continue }
        #expect(isDocumented(file, above: index), "\(file.path):\(index + 1)")
      }
    }
  }

  @Test func `nothing is left to be done`() {
    for file in SourceTree.sources + SourceTree.tests where file.module != "RepositoryTests" {
      for (index, line) in file.lines.enumerated() {
        for sign in ["TO" + "DO", "FIX" + "ME", "fatalError(\"not"] {
          #expect(!line.contains(sign), "\(file.path):\(index + 1)")
        }
      }
    }
  }

  // MARK: Looking

  private func imports(of file: SourceFile) -> [String] {
    file.code.compactMap { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place + 1 < words.count, place <= 2 else {
        return nil
      }
      let name = words[place + 1] == "struct" ? words[words.count - 1] : words[place + 1]
      return String(name.prefix { $0 != "." })
    }
  }

  /// Whether a line declares a stored property inside a type: where its name says it all, as in the
  /// shapes of the wire, a comment would only repeat it.
  private func isPlainProperty(_ line: Substring) -> Bool {
    line.hasPrefix("  ") && !line.contains("{") && !line.contains("func ")
      && (line.contains(" var ") || line.contains(" let "))
  }

  /// Whether the declaration has a doc comment, or implements something documented elsewhere.
  private func isDocumented(_ file: SourceFile, above index: Int) -> Bool {
    var line = index - 1
    while line >= 0 {
      let text = file.lines[line].drop { $0 == " " }
      if text.hasPrefix("///") { return true }
      guard text.hasPrefix("@") || text.hasPrefix("//") else { break }
      line -= 1
    }
    // A member that fulfils a protocol is documented there.
    return name(of: file.lines[index]).map(Self.requirements.contains) ?? false
  }

  /// The members that protocols ask for: ours, and those of the standard library that we fulfil.
  private static let requirements: Set<String> = {
    var names: Set = [
      "description", "testDescription", "encode", "==", "<", "hash", "enqueue", "checkIsolated",
      "unownedExecutor", "rawValue", "next", "makeAsyncIterator", "stringValue", "intValue",
    ]
    for file in SourceTree.sources {
      var isInside = false
      for line in file.code {
        if line.hasPrefix("package protocol ") { isInside = true }
        if line.hasPrefix("}") { isInside = false }
        if isInside, let name = Self.name(of: line[...]) { names.insert(name) }
      }
    }
    return names
  }()

  private func name(of line: Substring) -> String? { Self.name(of: line) }

  /// The name a line declares: the word behind `func`, `var` or `let`.
  private static func name(of line: Substring) -> String? {
    let words = line.split(whereSeparator: { " (:<{".contains($0) && $0 != "<" })
    guard let place = words.firstIndex(where: { ["func", "var", "let"].contains($0) }),
      place + 1 < words.count
    else { return nil }
    return String(words[place + 1].prefix { $0 != "<" || words[place + 1].count == 1 })
  }

  private func functions(of file: SourceFile) -> [(line: Int, length: Int)] {
    var found: [(Int, Int)] = []
    var open: [(start: Int, depth: Int)] = []
    var pending: Int?
    var depth = 0
    for (index, line) in file.code.enumerated() {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "(" || $0 == "<" })
      if words.contains("func") || words.contains("init") || words.contains("deinit") {
        pending = index
      }
      for character in line {
        if character == "{" {
          if let start = pending { open.append((start, depth)) }
          pending = nil
          depth += 1
        } else if character == "}" {
          depth -= 1
          if let last = open.last, last.depth == depth {
            found.append((last.start + 1, index - last.start + 1))
            open.removeLast()
          }
        }
      }
      if line.isEmpty { pending = nil }
    }
    return found
  }
}
