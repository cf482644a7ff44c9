import StorecastWebSocket

/// A key of NATS that proves who a client is: the seed of an Ed25519 key in base 32, with a prefix
/// that says what kind it is and a checksum at the end (github.com/nats-io/nkeys).
package struct NKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let seed: [UInt8]
    private let kind: UInt8

    /// - Parameter text: a seed, such as `SUAM…`.
    /// - Throws: a sentence, without the seed.
    package init(seed text: String) throws(NATSError) {
        guard let bytes = Self.bytes(ofBase32: text), bytes.count == 36,
            // The seed's own prefix is 18, `S` in base 32, in the first five bits; the key's prefix
            // follows, its first three bits here and five in the next byte.
            bytes[0] & 0xF8 == 18 << 3,
            Self.checksum(bytes[..<34]) == UInt16(bytes[34]) | UInt16(bytes[35]) << 8
        else {
            throw .unavailable("The NATS key isn't a seed: 'SU' and 56 more letters and digits.")
        }
        kind = (bytes[0] & 7) << 5 | (bytes[1] & 0xF8) >> 3
        seed = Array(bytes[2..<34])
    }

    /// How the server knows the key, such as `UDXU…`.
    package var publicKey: String {
        guard let key = Ed25519(seed: seed) else { return "" }
        var bytes = [kind] + key.publicKey
        let checksum = Self.checksum(bytes[...])
        bytes += [UInt8(checksum & 0xFF), UInt8(checksum >> 8)]
        return Self.base32(bytes)
    }

    /// Doesn't show the seed.
    package var description: String { "NKey" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    /// What answers a server's challenge: in base 64 for URLs, without padding.
    package func signature(of nonce: String) -> String {
        Self.base64URL(Ed25519(seed: seed)?.sign(Array(nonce.utf8)) ?? [])
    }

    /// CRC-16/XMODEM.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt16(byte) << 8) { sum, _ in
                sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021
            }
        }
    }

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    private static func base32(_ bytes: [UInt8]) -> String {
        digits(of: bytes, bits: 5, letters)
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        digits(
            of: bytes, bits: 6,
            Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8))
    }

    private static func digits(of bytes: [UInt8], bits: Int, _ letters: [UInt8]) -> String {
        var text: [UInt8] = []
        var (value, count) = (0, 0)
        for byte in bytes {
            value = value << 8 | Int(byte)
            count += 8
            while count >= bits {
                count -= bits
                text.append(letters[value >> count & (1 << bits - 1)])
                value &= 1 << count - 1
            }
        }
        if count > 0 { text.append(letters[value << (bits - count)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(ofBase32 text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (value, count) = (0, 0)
        for letter in text.utf8 {
            guard let digit = letters.firstIndex(of: letter) else { return nil }
            value = value << 5 | digit
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(value >> count))
            value &= 1 << count - 1
        }
        return count < 5 && value == 0 ? bytes : nil
    }
}
