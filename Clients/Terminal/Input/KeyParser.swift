/// Turns what a terminal sends into keys; bytes may come in any pieces.
///
/// Knows the sequences of xterm and its relatives (ECMA-48 CSI, SS3, bracketed paste). Unknown
/// sequences are skipped whole, so that they aren't taken for text.
struct KeyParser {
    private enum State {
        case ground
        /// After an escape, which may be a key of its own.
        case escape
        /// Inside `ESC [`, with the bytes since.
        case sequence([UInt8])
        /// After `ESC O`.
        case single
        /// Inside a paste.
        case paste([UInt8])
    }

    private static let escape: UInt8 = 0x1B
    private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)
    /// No key has a sequence longer than this.
    private static let longestSequence = 32
    /// What is pasted beyond this is dropped.
    private static let longestPaste = 16_384

    private var state = State.ground
    /// The beginning of a UTF-8 sequence.
    private var pending: [UInt8] = []

    /// Whether an escape waits to be told from the start of a sequence: call ``flush()`` when
    /// nothing follows it for some hundredths of a second.
    var isWaiting: Bool {
        if case .escape = state { true } else { false }
    }

    /// The keys that `bytes` complete.
    mutating func parse(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { take(byte, &keys) }
        return keys
    }

    /// Nothing followed: an escape that waits is the key.
    mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        state = .ground
        return [.escape]
    }

    private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: ground(byte, &keys)
        case .escape: afterEscape(byte, &keys)
        case .sequence(let bytes): inSequence(bytes, byte, &keys)
        case .single:
            state = .ground
            if let key = Self.arrow(byte, shifted: false) { keys.append(key) }
        case .paste(let bytes): inPaste(bytes, byte, &keys)
        }
    }

    private mutating func ground(_ byte: UInt8, _ keys: inout [Key]) {
        if !pending.isEmpty || byte >= 0x80 { return utf8(byte, &keys) }
        switch byte {
        case Self.escape: state = .escape
        case 0x0D, 0x0A: keys.append(.enter)
        case 0x09: keys.append(.tab)
        case 0x7F, 0x08: keys.append(.backspace)
        case 0x01...0x1A: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x20...0x7E: keys.append(.character(Character(Unicode.Scalar(byte))))
        default: break
        }
    }

    private mutating func afterEscape(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .single
        case Self.escape: keys.append(.escape)
        default:
            state = .ground
            keys.append(.escape)
            ground(byte, &keys)
        }
    }

    private mutating func inSequence(_ bytes: [UInt8], _ byte: UInt8, _ keys: inout [Key]) {
        guard (0x40...0x7E).contains(byte) else {
            let isSequence = (0x20...0x3F).contains(byte) && bytes.count < Self.longestSequence
            state = isSequence ? .sequence(bytes + [byte]) : .ground
            return
        }
        state = .ground
        let numbers = bytes.split(separator: UInt8(ascii: ";")).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard byte == UInt8(ascii: "~") else {
            // `ESC [ 1 ; 2 A` is the arrow with shift.
            if let key = Self.arrow(byte, shifted: numbers.last == "2") { keys.append(key) }
            return
        }
        switch numbers.first {
        case "1", "7": keys.append(.home)
        case "3": keys.append(.delete)
        case "4", "8": keys.append(.end)
        case "5": keys.append(.pageUp)
        case "6": keys.append(.pageDown)
        case "200": state = .paste([])
        default: break
        }
    }

    private static func arrow(_ byte: UInt8, shifted: Bool) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): shifted ? .shiftUp : .up
        case UInt8(ascii: "B"): shifted ? .shiftDown : .down
        case UInt8(ascii: "C"): shifted ? .shiftRight : .right
        case UInt8(ascii: "D"): shifted ? .shiftLeft : .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: nil
        }
    }

    private mutating func inPaste(_ bytes: [UInt8], _ byte: UInt8, _ keys: inout [Key]) {
        var bytes = bytes
        state = .ground
        bytes.append(byte)
        if bytes.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
            let text = bytes.dropLast(Self.pasteEnd.count).prefix(Self.longestPaste)
            keys.append(.paste(String(decoding: text, as: UTF8.self)))
            return
        }
        // Past the limit only what may be the end is kept.
        if bytes.count > Self.longestPaste + Self.pasteEnd.count {
            bytes.remove(at: Self.longestPaste)
        }
        state = .paste(bytes)
    }

    private mutating func utf8(_ byte: UInt8, _ keys: inout [Key]) {
        if pending.isEmpty || byte & 0xC0 == 0x80 {
            pending.append(byte)
        } else {
            // Cut off: what came is dropped, this byte begins anew.
            pending = []
            return ground(byte, &keys)
        }
        let length =
            switch pending[0] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard pending.count >= length else { return }
        if let text = String(validating: pending, as: UTF8.self), let character = text.first {
            keys.append(.character(character))
        }
        pending = []
    }
}
