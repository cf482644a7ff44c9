/// The id of the action that a client dispatched as its `seq`th: 26 lower-case letters and digits.
///
/// A function of what both sides know, so that a client can show the final id before the server
/// has answered: 128 bits of a SHA-256 digest. Everyone sees it, and the client's id, which is a
/// secret, can't be worked out from it.
package func stampID(client: String, seq: UInt64, index: Int = 0) -> String {
    let digest = SHA256.digest(of: "\(client)/\(seq)/\(index)".utf8)
    let digits = Array("0123456789abcdefghijklmnopqrstuv".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(26)
    var bits: UInt32 = 0
    var count = 0
    // 26 digits of 5 bits hold the first 130 bits.
    for byte in digest[..<17] where text.count < 26 {
        bits = bits << 8 | UInt32(byte)
        count += 8
        while count >= 5, text.count < 26 {
            count -= 5
            text.append(digits[Int(bits >> UInt32(count) & 31)])
        }
    }
    return String(decoding: text, as: UTF8.self)
}
