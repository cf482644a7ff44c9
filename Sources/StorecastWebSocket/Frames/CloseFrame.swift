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
