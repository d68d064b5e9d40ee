import RoomProtocol

/// The bytes of a JSON text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The JSON text of a value, with sorted keys.
func json(_ value: some WireWritable) throws -> String {
  String(decoding: try WireJSON.encode(value), as: UTF8.self)
}

/// Reads a value from a JSON text.
func read<Value: WireReadable>(_ type: Value.Type, _ text: String) throws -> Value {
  try WireJSON.decode(type, from: bytes(text))
}
