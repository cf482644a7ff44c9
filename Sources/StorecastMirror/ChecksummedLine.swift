import StorecastWire

/// A JSON text as a line of a file: behind eight hexadecimal digits of its CRC-32 and a space.
enum ChecksummedLine {
    static func text(of json: [UInt8]) -> [UInt8] {
        let digits = String(CRC32.checksum(of: json), radix: 16)
        var line = Array(String(repeating: "0", count: 8 - digits.count).utf8)
        line.reserveCapacity(json.count + 10)
        line += digits.utf8
        line.append(UInt8(ascii: " "))
        line += json
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// What a line without its end says; nil if it was damaged, or isn't JSON within `limits`.
    static func document(in line: ArraySlice<UInt8>, limits: JSONLimits) -> JSONDocument? {
        guard line.count > 9, line[line.startIndex + 8] == UInt8(ascii: " "),
            let checksum = UInt32(String(decoding: line.prefix(8), as: UTF8.self), radix: 16),
            CRC32.checksum(of: line.dropFirst(9)) == checksum
        else { return nil }
        return try? JSONDocument(line.dropFirst(9), limits: limits)
    }
}

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
