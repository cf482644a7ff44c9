/// Puts a message together from the pieces in which it arrives, within a limit.
///
/// Nothing is copied when a message comes in one piece. Never holds more than the limit, and no
/// memory between two messages.
package struct MessageAssembler {
    package enum Step: Equatable {
        case incomplete
        /// The piece just given was the whole message.
        case whole
        /// The message is complete in `take()`.
        case assembled
        case violation(CloseFrame)
    }

    private let limit: Int
    private var bytes: [UInt8] = []
    private var validator = UTF8Validator()

    /// - Parameter limit: the most bytes that a message may have.
    package init(limit: Int) { self.limit = limit }

    /// Takes the next piece.
    ///
    /// - Parameters:
    ///   - remaining: the bytes of this piece's frame that are still to come.
    ///   - isFinal: whether the message ends with this piece.
    package mutating func add(
        _ piece: UnsafeRawBufferPointer, remaining: Int, isFinal: Bool, isBinary: Bool
    ) -> Step {
        if isBinary {
            return fail(CloseFrame(code: 1003, reason: "Only text messages are understood."))
        }
        // Compared so that a frame of 2^63 bytes can't overflow the sum.
        if remaining > limit || bytes.count + piece.count > limit - remaining {
            let reason = "A message may have \(limit) bytes."
            return fail(CloseFrame(code: 1009, reason: reason))
        }
        guard validator.validate(piece), !isFinal || validator.isComplete else {
            return fail(CloseFrame(code: 1007, reason: "A text message is not UTF-8."))
        }
        if isFinal && bytes.isEmpty { return .whole }
        bytes.append(contentsOf: piece)
        return isFinal ? .assembled : .incomplete
    }

    /// The message that was just completed, leaving nothing behind.
    package mutating func take() -> [UInt8] { bytes.take() }

    private mutating func fail(_ frame: CloseFrame) -> Step {
        bytes = []
        return .violation(frame)
    }
}
