/// A message to clients, made once and shared by every connection that gets it: its text, behind
/// the header of an unmasked WebSocket text frame (RFC 6455, section 5.2).
package final class ServerMessage: Sendable {
    private let storage: [UInt8]
    private let start: Int

    /// A message with the text that `write` appends; `capacity` is a guess of its size in bytes.
    package init(capacity: Int = 96, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(reserving: capacity + Self.headroom)
        // Room for the header; a writer puts no comma behind a comma.
        writer.bytes.append(contentsOf: repeatElement(UInt8(ascii: ","), count: Self.headroom))
        write(&writer)
        var bytes = writer.bytes
        start = Self.putHeader(into: &bytes)
        storage = bytes
    }

    /// The whole WebSocket frame, ready for a socket.
    package var frame: ArraySlice<UInt8> { storage[start...] }

    /// The text alone.
    package var text: ArraySlice<UInt8> { storage[Self.headroom...] }

    /// The size of the WebSocket frame in bytes.
    package var frameSize: Int { storage.count - start }

    private static let headroom = 10

    /// Writes the header right before the text; returns where it starts.
    private static func putHeader(into bytes: inout [UInt8]) -> Int {
        let length = bytes.count - headroom
        var start = headroom
        var rest = length
        let extra = length < 126 ? 0 : length < 65_536 ? 2 : 8
        for _ in 0..<extra {
            start -= 1
            bytes[start] = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
        }
        bytes[start - 1] = extra == 0 ? UInt8(length) : extra == 2 ? 126 : 127
        bytes[start - 2] = 0x81
        return start - 2
    }
}
