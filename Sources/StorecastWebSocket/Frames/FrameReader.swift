/// Reads a client's frames (RFC 6455 section 5) out of bytes that come in pieces of any size.
///
/// Without I/O. Holds the beginning of a header, of a control frame or, within its limit, of a
/// message; a message that comes in one piece isn't copied.
package struct FrameReader {
    package enum Step {
        /// The bytes are used up.
        case more
        /// A whole text message, in the bytes that were given.
        case text(UnsafeRawBufferPointer)
        /// A whole text message that came in pieces.
        case assembled([UInt8])
        case ping([UInt8])
        case pong
        /// The peer's close frame, as `CloseFrame.read`. What comes behind it is dropped.
        case close(CloseFrame, isValid: Bool)
        /// What the connection has to be closed with. What comes behind it is dropped.
        case violation(CloseFrame)
    }

    private struct Frame {
        var opcode: WebSocketFrameHeader.Opcode
        var isFinal: Bool
        /// The bytes of payload that are still to come.
        var remaining: Int
        /// The four bytes of the mask as in memory, beginning with the next one to be used.
        var key: UInt32
    }

    private enum Header {
        case incomplete
        case whole(Frame, length: Int)
        case violation(String)
    }

    /// On a client, libwebsockets reads the frames, and this alone is used.
    var assembler: MessageAssembler
    private var header: [UInt8] = []
    private var frame: Frame?
    private var control: [UInt8] = []
    /// Whether a message has begun whose last frame hasn't.
    private var isInMessage = false
    private var isOver = false
    /// How many frames have come that aren't messages, nor much of one.
    private var oddments = 0

    /// A fragment of fewer bytes isn't much of a message.
    private static let leastFragment = 1024

    /// - Parameter limit: the most bytes that a message may have.
    package init(limit: Int) { assembler = MessageAssembler(limit: limit) }

    /// Whether the beginning of something has come, and not all of it.
    var isInside: Bool { frame != nil || isInMessage || !header.isEmpty }

    /// How many frames have come since it was last asked that aren't messages, nor much of one:
    /// pings and pongs, and small fragments.
    package mutating func takeOddments() -> Int {
        defer { oddments = 0 }
        return oddments
    }

    /// Reads on until something has happened, and takes what it read from the bytes, which it
    /// unmasks in their place.
    package mutating func next(_ bytes: inout UnsafeMutableRawBufferPointer) -> Step {
        while !bytes.isEmpty {
            if isOver {
                bytes.removeFirst(bytes.count)
                break
            }
            if frame == nil {
                switch readHeader(&bytes) {
                case .incomplete: return .more
                case .whole(let frame, _):
                    self.frame = frame
                    if frame.opcode.isControl
                        || !frame.isFinal && frame.remaining < Self.leastFragment
                    {
                        oddments += 1
                    }
                case .violation(let sentence):
                    return violation(CloseFrame(code: 1002, reason: sentence))
                }
            }
            if let step = readPayload(&bytes) { return step }
        }
        return .more
    }

    private mutating func readHeader(_ bytes: inout UnsafeMutableRawBufferPointer) -> Header {
        if header.isEmpty {
            let result = parse(UnsafeRawBufferPointer(bytes))
            switch result {
            case .whole(_, let length): bytes.removeFirst(length)
            case .incomplete:
                header = Array(bytes)
                bytes.removeFirst(bytes.count)
            case .violation: break
            }
            return result
        }
        while let next = bytes.first {
            header.append(next)
            bytes.removeFirst(1)
            let result = header.withUnsafeBytes { parse($0) }
            if case .incomplete = result { continue }
            header = []
            return result
        }
        return .incomplete
    }

    /// Parses a header (section 5.2), from its first byte on, so that the same fault is found
    /// whatever the pieces.
    private func parse(_ bytes: UnsafeRawBufferPointer) -> Header {
        let first = bytes[0]
        guard first & 0x70 == 0, let opcode = WebSocketFrameHeader.Opcode(rawValue: first & 0x0F)
        else { return .violation("A frame has a reserved bit or opcode.") }
        let isFinal = first & 0x80 != 0
        if opcode.isControl {
            guard isFinal else { return .violation("A control frame is fragmented.") }
        } else if (opcode == .continuation) != isInMessage {
            return .violation("A fragment is out of place.")
        }
        guard bytes.count > 1 else { return .incomplete }
        guard bytes[1] & 0x80 != 0 else { return .violation("A client's frames are masked.") }
        var length = UInt64(bytes[1] & 0x7F)
        if opcode.isControl, length > 125 { return .violation("A control frame is too long.") }
        let keyStart = length == 126 ? 4 : length == 127 ? 10 : 2
        guard bytes.count >= keyStart else { return .incomplete }
        if keyStart > 2 {
            length = bytes[2..<keyStart].reduce(0) { $0 << 8 | UInt64($1) }
            guard length >= (keyStart == 4 ? 126 : 65_536), length <= Int.max else {
                return .violation("A frame's length isn't as short as it can be, or too long.")
            }
        }
        guard bytes.count >= keyStart + 4 else { return .incomplete }
        let key = bytes.loadUnaligned(fromByteOffset: keyStart, as: UInt32.self)
        let frame = Frame(opcode: opcode, isFinal: isFinal, remaining: Int(length), key: key)
        return .whole(frame, length: keyStart + 4)
    }

    /// Takes what there is of the frame's payload; nil if it isn't whole and nothing is wrong.
    private mutating func readPayload(_ bytes: inout UnsafeMutableRawBufferPointer) -> Step? {
        guard var frame else { return nil }
        let count = min(bytes.count, frame.remaining)
        let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
        bytes.removeFirst(count)
        FrameMasker.mask(piece, key: frame.key)
        frame.key = FrameMasker.key(frame.key, behind: count)
        frame.remaining -= count
        let isWhole = frame.remaining == 0
        self.frame = isWhole ? nil : frame
        if frame.opcode.isControl {
            control.append(contentsOf: piece)
            return isWhole ? controlStep(frame.opcode) : nil
        }
        isInMessage = !frame.isFinal
        let step = assembler.add(
            UnsafeRawBufferPointer(piece), remaining: frame.remaining,
            isFinal: frame.isFinal && isWhole, isBinary: frame.opcode == .binary)
        switch step {
        case .incomplete: return nil
        case .whole: return .text(UnsafeRawBufferPointer(piece))
        case .assembled: return .assembled(assembler.take())
        case .violation(let frame): return violation(frame)
        }
    }

    private mutating func controlStep(_ opcode: WebSocketFrameHeader.Opcode) -> Step {
        let payload = control.take()
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong
        default:
            isOver = true
            let (frame, isValid) = payload.withUnsafeBytes { CloseFrame.read($0) }
            return .close(frame, isValid: isValid)
        }
    }

    private mutating func violation(_ frame: CloseFrame) -> Step {
        isOver = true
        return .violation(frame)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Leaves what is behind the first bytes.
    fileprivate mutating func removeFirst(_ count: Int) {
        self = UnsafeMutableRawBufferPointer(rebasing: self[count...])
    }
}
