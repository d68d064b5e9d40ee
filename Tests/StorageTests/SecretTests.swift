import Storage
import TestSupport
import Testing

@Suite struct ContentHashTests {
  /// The vectors of FIPS 180-4.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `known digests`(text: String, hex: String) {
    #expect(ContentHash.digest(of: Array(text.utf8)).hex == hex)
  }

  @Test func `pieces, the whole and a file give the same digest`() throws {
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let hash = ContentHash()
    for start in stride(from: 0, to: bytes.count, by: 7_001) {
      Array(bytes[start..<min(start + 7_001, bytes.count)]).withUnsafeBytes { hash.update($0) }
    }
    let folder = try TemporaryFolder()
    try AtomicFile.write(bytes, to: folder.file("data"))
    let file = try OpenFile(folder.file("data"))
    #expect(hash.digest() == ContentHash.digest(of: bytes))
    #expect(hash.digest() == hash.digest())
    #expect(try ContentHash.digest(of: file) == hash.digest())
    #expect(try ContentHash.digest(of: file, limit: 1000) == ContentHash.digest(of: bytes[..<1000]))
  }
}

@Suite struct PasswordHashTests {
  @Test func `the right password matches and no other`() {
    let hash = PasswordHash(of: "correct horse\0battery")
    #expect(PasswordHash(encoded: hash.encoded).matches("correct horse\0battery"))
    #expect(!hash.matches("correct horse"))
    #expect(!hash.matches(""))
  }

  @Test func `the same password twice has two salts`() {
    #expect(PasswordHash(of: "x").encoded != PasswordHash(of: "x").encoded)
  }

  @Test(arguments: [
    "", "plain", "scrypt$16384$8$1$00", "scrypt$16384$8$1$00$", "scrypt$16384$8$1$zz$00",
    "scrypt$99999999999$8$1$00$00000000000000000000000000000000", "scrypt$0$0$0$00$00112233",
  ])
  func `a stored text that is no hash matches nothing`(stored: String) {
    #expect(!PasswordHash(encoded: stored).matches(""))
  }

  /// RFC 7914 section 12, the second vector.
  @Test func `the published scrypt vector verifies`() {
    let hash =
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
      + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
    let stored = "scrypt$1024$8$16$\(Hex.string(Array("NaCl".utf8)))$\(hash)"
    #expect(PasswordHash(encoded: stored).matches("password"))
    #expect(!PasswordHash(encoded: stored).matches("Password"))
  }
}

@Suite struct HexTests {
  @Test func `there and back`() {
    #expect(Hex.string([0, 10, 255]) == "000aff")
    #expect(Hex.bytes("000AfF") == [0, 10, 255])
    #expect(Hex.bytes("0") == nil)
    #expect(Hex.bytes("0g") == nil)
  }
}
