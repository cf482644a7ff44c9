import StorecastSync

/// The CRC-32 of IEEE 802.3, as in gzip (RFC 1952, section 8): finds what a torn write left.
enum CRC32 {
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder = remainder >> 8 ^ table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)]
        }
        return ~remainder
    }

    /// What each byte leaves of the polynomial, reflected.
    private static let table = (0..<256 as Range<UInt32>).map { byte in
        (0..<8).reduce(byte) { bits, _ in bits >> 1 ^ (bits & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
}
