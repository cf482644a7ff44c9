/// Makes WebSocket frames (RFC 6455 section 5.2): final ones, with no extension bits.
///
/// A server's frames are unmasked, so the same bytes can go to every connection.
package enum WebSocketFrameHeader {
    /// What a frame carries (RFC 6455 section 11.8).
    package enum Opcode: UInt8, Sendable {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        /// Whether it is about the connection (section 5.5), and not part of a message.
        var isControl: Bool { rawValue & 0x8 != 0 }
    }

    /// The most bytes that a header has without a mask.
    package static let maximumLength = 10

    /// The length of an unmasked header: 2, 4 or 10 bytes.
    package static func length(payloadLength: Int) -> Int {
        payloadLength < 126 ? 2 : payloadLength <= 0xFFFF ? 4 : 10
    }

    /// The unmasked header of a text message.
    package static func text(payloadLength: Int) -> [UInt8] {
        var header: [UInt8] = []
        append(.text, payloadLength: payloadLength, to: &header)
        return header
    }

    /// Appends an unmasked header, or with `isMasked` one that the caller completes by the four
    /// bytes of a mask.
    package static func append(
        _ opcode: Opcode, payloadLength: Int, isMasked: Bool = false, to bytes: inout [UInt8]
    ) {
        bytes.append(0x80 | opcode.rawValue)
        let mask: UInt8 = isMasked ? 0x80 : 0
        if payloadLength < 126 {
            bytes.append(mask | UInt8(payloadLength))
        } else if payloadLength <= 0xFFFF {
            bytes.append(mask | 126)
            bytes.append(UInt8(payloadLength >> 8))
            bytes.append(UInt8(payloadLength & 0xFF))
        } else {
            bytes.append(mask | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payloadLength >> shift))
            }
        }
    }

    /// A whole unmasked text frame.
    package static func frame(text: some Collection<UInt8>) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(maximumLength + text.count)
        append(.text, payloadLength: text.count, to: &frame)
        frame.append(contentsOf: text)
        return frame
    }
}
