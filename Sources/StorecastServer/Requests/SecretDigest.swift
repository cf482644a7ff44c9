import StorecastSync

/// The SHA-256 of a secret that somebody shows: what a server keeps of it, and compares.
package struct SecretDigest: Hashable, Sendable {
    /// 32 of them.
    let bytes: [UInt8]

    package init(of secret: String) {
        bytes = SHA256.digest(of: secret.utf8)
    }

    /// Nil unless it is 64 hexadecimal digits.
    init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Compares all bytes, so that the time taken doesn't tell how many are the same.
    package static func == (left: SecretDigest, right: SecretDigest) -> Bool {
        zip(left.bytes, right.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
