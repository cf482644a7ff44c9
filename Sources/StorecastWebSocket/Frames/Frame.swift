import Glibc

/// Writes the headers of WebSocket frames (RFC 6455 section 5.2): final ones, no extension bits.
///
/// A server's text frames arrive here with their header (``WebSocketConnection/write(raw:)``), as
/// they are encoded once for all connections, by a target that builds without libwebsockets. A
/// test holds the two encoders to the same bytes.
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
}

/// Makes a client's frames, masked with keys that can't be guessed (RFC 6455 sections 5.3, 10.3).
package struct FrameMasker {
    private var keys: [UInt32] = []

    package init() {}

    /// Appends a masked frame. O(n), eight bytes at a time.
    package mutating func append(
        _ opcode: WebSocketFrameHeader.Opcode, _ payload: UnsafeRawBufferPointer,
        to bytes: inout [UInt8]
    ) {
        let key = nextKey()
        WebSocketFrameHeader.append(
            opcode, payloadLength: payload.count, isMasked: true, to: &bytes)
        withUnsafeBytes(of: key) { bytes.append(contentsOf: $0) }
        let start = bytes.count
        bytes.append(contentsOf: payload)
        bytes.withUnsafeMutableBytes { all in
            Self.mask(UnsafeMutableRawBufferPointer(rebasing: all[start...]), key: key)
        }
    }

    /// Combines the bytes with the key; the same again restores them.
    package static func mask(_ bytes: UnsafeMutableRawBufferPointer, key: UInt32) {
        let wide = UInt64(key) << 32 | UInt64(key)
        var index = 0
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        // The key's bytes in memory order, whatever the machine's byte order.
        withUnsafeBytes(of: key) { keyBytes in
            while index < bytes.count {
                bytes[index] ^= keyBytes[index & 3]
                index &+= 1
            }
        }
    }

    /// The key for what follows so many bytes.
    static func key(_ key: UInt32, behind count: Int) -> UInt32 {
        let bits = 8 * (count & 3)
        // The first byte in memory is the lowest of a little-endian number.
        let number = UInt32(littleEndian: key)
        return UInt32(littleEndian: number >> bits | number << (32 - bits))
    }

    /// One key; the system is asked for 64 at a time, since each call is a system call.
    private mutating func nextKey() -> UInt32 {
        if keys.isEmpty {
            keys = Array(repeating: 0, count: 64)
            // getentropy fails for more than 256 bytes only; without randomness there is no mask.
            let result = keys.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
            precondition(result == 0, "The system has no random bytes.")
        }
        return keys.removeLast()
    }
}

/// What a close frame says (RFC 6455 sections 5.5.1 and 7.4).
package struct CloseFrame: Equatable, Sendable {
    /// 1005 stands for "no code was given"; it never travels.
    package var code: UInt16
    /// At most 123 bytes of UTF-8 travel; the rest is cut.
    package var reason: String

    package init(code: UInt16, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// The bytes behind the header: none for 1005.
    package var payload: [UInt8] {
        guard Self.mayTravel(code) else { return [] }
        var bytes = [UInt8(code >> 8), UInt8(code & 0xFF)]
        for character in reason {
            let next = character.utf8
            if bytes.count + next.count > 125 { break }
            bytes.append(contentsOf: next)
        }
        return bytes
    }

    /// Reads a peer's close frame; a violation of the protocol (a single byte, a code that may not
    /// travel) is 1002, a reason that isn't UTF-8 is 1007, both without a reason.
    package static func read(_ payload: UnsafeRawBufferPointer) -> (CloseFrame, isValid: Bool) {
        if payload.isEmpty { return (CloseFrame(code: 1005), true) }
        guard payload.count >= 2 else { return (CloseFrame(code: 1002), false) }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard mayTravel(code) else { return (CloseFrame(code: 1002), false) }
        let text = UnsafeRawBufferPointer(rebasing: payload[2...])
        var validator = UTF8Validator()
        guard validator.validate(text), validator.isComplete else {
            return (CloseFrame(code: 1007), false)
        }
        return (CloseFrame(code: code, reason: String(decoding: text, as: UTF8.self)), true)
    }

    /// Whether a code may be in a frame: those that RFC 6455 and IANA's registry define for it,
    /// those of libraries and frameworks (3000–3999) and private ones (4000–4999).
    package static func mayTravel(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
