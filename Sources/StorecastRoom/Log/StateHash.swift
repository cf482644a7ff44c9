import StorecastWire

/// The SHA-256 digest of a state's canonical text, in hexadecimal: the same on every machine.
func stateHash(ofCanonical text: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = SHA256.digest(of: text).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
}

extension JSON {
    /// The hash that a snapshot gives for a state that is this value.
    package var stateHash: String { StorecastSync.stateHash(ofCanonical: canonicalBytes) }
}
