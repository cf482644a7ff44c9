import Glibc

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
