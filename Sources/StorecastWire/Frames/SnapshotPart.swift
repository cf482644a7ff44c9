/// A piece of the text of a large value, by which the value is sent without holding up others.
///
/// Its message is no JSON: `<sub> <v> <offset> <bytes> <text>`, the numbers in decimal digits and
/// each followed by one space, the text as it is. Escaped into a frame it would be longer, and would
/// have to be unescaped before it could be read.
package struct SnapshotPart: Equatable, Sendable {
    /// The form of parts that this library understands, as `hello` and `welcome` name it.
    package static let form: UInt64 = 1

    package let sub: UInt64
    /// The version of the whole value.
    package let version: UInt64
    /// How many bytes of its text came in parts before this one.
    package let offset: UInt64
    /// How many bytes the whole text has.
    package let bytes: UInt64

    /// Whether a message from the server is a part: it begins with a digit, and a frame doesn't.
    package static func begins(_ message: UnsafeRawBufferPointer) -> Bool {
        message.first.map(isDigit) ?? false
    }

    /// Reads the numbers, and finds the piece of text behind them.
    package static func read(
        _ message: UnsafeRawBufferPointer
    ) throws(FrameError) -> (part: SnapshotPart, text: UnsafeRawBufferPointer) {
        var rest = message[...]
        let (sub, version) = (number(&rest), number(&rest))
        let (offset, bytes) = (number(&rest), number(&rest))
        guard let sub, let version, let offset, let bytes else {
            throw FrameError(
                .malformed, "A part of a value must begin with four numbers.",
                detail: "Each has up to 16 digits, and one space behind it.")
        }
        let part = SnapshotPart(sub: sub, version: version, offset: offset, bytes: bytes)
        return (part, UnsafeRawBufferPointer(rebasing: rest))
    }

    /// Takes a number and the space behind it; nil for anything else.
    private static func number(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
        let digits = rest.prefix(17).prefix(while: isDigit)
        guard (1...16).contains(digits.count), digits.count == 1 || digits.first != zero,
            rest.dropFirst(digits.count).first == UInt8(ascii: " ")
        else { return nil }
        rest = rest.dropFirst(digits.count + 1)
        let number = digits.reduce(0) { $0 * 10 + UInt64($1 - zero) }
        return number <= ProtocolVersion.largestInteger ? number : nil
    }

    private static let zero = UInt8(ascii: "0")

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= zero && byte <= zero + 9 }
}

/// A snapshot that is being sent in parts: a reference to the message that all share, and how far
/// it has come.
package struct OutgoingParts: Sendable {
    /// The version of the value.
    package let version: UInt64
    private let snapshot: ServerMessage
    private let sub: UInt64
    /// Where the value is in the message's text.
    private let value: Range<Int>
    private var offset: Int

    /// - Parameter snapshot: what ``ServerMessage/snapshot(sub:version:size:_:)`` made.
    package init(of snapshot: ServerMessage, sub: UInt64, version: UInt64) {
        self.snapshot = snapshot
        self.sub = sub
        self.version = version
        let text = snapshot.text
        let start = #"{"op":"snapshot","sub":\#(sub),"v":\#(version),"value":"#.utf8.count
        value = text.startIndex + start..<text.endIndex - 1
        offset = value.lowerBound
    }

    /// Whether nothing is left to send.
    package var isComplete: Bool { offset == value.upperBound }

    /// The next part, of at most `size` bytes of text, or of one character. O(`size`).
    package mutating func next(_ size: Int) -> ServerMessage {
        let text = snapshot.text
        var end = offset + min(max(4, size), value.upperBound - offset)
        // Messages are UTF-8: a character isn't torn.
        while end < value.upperBound, text[end] & 0xc0 == 0x80 { end -= 1 }
        defer { offset = end }
        return ServerMessage(capacity: end - offset + 64) { writer in
            let numbers = "\(sub) \(version) \(offset - value.lowerBound) \(value.count) "
            writer.bytes.append(contentsOf: numbers.utf8)
            writer.raw(text[offset..<end])
        }
    }
}

/// A value that is coming in parts, as far as it has come.
package struct IncomingParts: Sendable {
    package let sub: UInt64
    package let version: UInt64
    private let bytes: UInt64
    private var received: UInt64 = 0
    /// The text so far; nil if nobody wants it, and then it is only counted.
    package private(set) var text: [UInt8]?

    /// A value of which this is the first part.
    package init(_ first: SnapshotPart, isWanted: Bool) {
        sub = first.sub
        version = first.version
        bytes = first.bytes
        text = isWanted ? [] : nil
    }

    /// Whether all of it has come.
    package var isComplete: Bool { received == bytes }

    /// Takes the next part; throws if it is another, or doesn't fit. Amortised O(its size).
    package mutating func append(
        _ part: SnapshotPart, _ piece: UnsafeRawBufferPointer
    ) throws(FrameError) {
        guard part.sub == sub, part.version == version, part.bytes == bytes else {
            throw .part("It is of another value than the part before it.")
        }
        guard part.offset == received else {
            throw .part("It is at \(part.offset), and \(received) is where the next one begins.")
        }
        guard !piece.isEmpty, UInt64(piece.count) <= bytes - received else {
            throw .part("It has \(piece.count) bytes, of \(bytes - received) that are left.")
        }
        received += UInt64(piece.count)
        text?.append(contentsOf: piece)
    }

    /// Nobody wants the value any more.
    package mutating func discard() { text = nil }
}

extension FrameError {
    /// A part of a value that can't come there.
    package static func part(_ detail: String) -> FrameError {
        FrameError(.invalidFrame, "A part of a value doesn't fit.", detail: detail)
    }
}
