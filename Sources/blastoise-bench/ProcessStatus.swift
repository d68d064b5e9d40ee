import Glibc

/// What the kernel tells of a process, from /proc.
struct ProcessStatus {
  var pid: pid_t

  /// Memory that is the process's own: heap, stacks, written data; in MiB.
  var anonymous: Double { mebibytes("Anonymous:") }
  /// Memory that is resident, shared libraries included; in MiB.
  var resident: Double { mebibytes("Rss:") }

  /// How often its threads have gone to sleep by themselves: each time is a wake-up.
  var sleeps: Int {
    Folder.names(in: "/proc/\(pid)/task").reduce(0) { sum, thread in
      let status = lines(of: "/proc/\(pid)/task/\(thread)/status")
      return sum + number(after: "voluntary_ctxt_switches:", in: status)
    }
  }

  /// Processor time that all its threads took, in seconds.
  var processor: Double {
    let text = lines(of: "/proc/\(pid)/stat").first ?? ""
    // The name in brackets may hold blanks; the times are the 12th and 13th field behind it.
    guard let bracket = text.lastIndex(of: ")") else { return 0 }
    let fields = text[bracket...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
      return 0
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private func mebibytes(_ field: String) -> Double {
    Double(number(after: field, in: lines(of: "/proc/\(pid)/smaps_rollup"))) / 1024
  }

  private func number(after field: String, in lines: [Substring]) -> Int {
    guard let line = lines.first(where: { $0.hasPrefix(field) }) else { return 0 }
    let words = line.split { $0 == " " || $0 == "\t" }
    return words.count > 1 ? Int(words[1]) ?? 0 : 0
  }

  private func lines(of path: String) -> [Substring] {
    (Folder.text(of: path) ?? "").split(separator: "\n")
  }
}

/// Small files and folders.
enum Folder {
  /// The text of a file, nil where it can't be read.
  static func text(of path: String) -> String? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&block, 1, block.count, file), count > 0 {
      bytes += block[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The names in a folder, those with a leading dot left out.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  /// Runs some work with a temporary folder, removed afterwards with all files in it.
  static func temporary(_ work: (String) -> Void) {
    guard let path = makeTemporary() else { return }
    work(path)
    remove(path)
  }

  /// Makes a temporary folder; nil where the system refuses.
  static func makeTemporary() -> String? {
    var template = Array("/tmp/blastoise-bench-XXXXXX".utf8CString)
    return mkdtemp(&template).map { String(cString: $0) }
  }

  /// Removes a folder and all that is in it; links are not followed.
  static func remove(_ path: String) {
    if unlink(path) == 0 { return }
    for name in names(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// The size of a file in bytes, nil where there is none.
  static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}
