/// Why a frame couldn't be used: the content of an `error` frame.
package struct FrameError: Error, Equatable, Sendable {
    /// A short, stable word for programs.
    package var code: Code
    /// One sentence for a person.
    package var title: String
    /// What exactly was wrong.
    package var detail: String?
    /// The `ref` of the frame at fault, if it has one.
    package var ref: UInt64?
    /// The `seq` of the frame at fault, if it has one.
    package var seq: UInt64?
    /// The frame's index in its batch, from 0, if it came in one.
    package var index: Int?

    package struct Code: Hashable, Sendable {
        package var word: String

        package init(_ word: String) {
            self.word = word
        }

        /// The message isn't JSON, or breaks a limit.
        package static let malformed = Code("malformed")
        /// A member is missing or of the wrong type.
        package static let invalidFrame = Code("invalid-frame")
        /// There is no such `op`.
        package static let unknownOp = Code("unknown-op")
        /// `ref` or `sub` isn't in use, or already is.
        package static let badReference = Code("bad-ref")
        /// The connection has `limits.subscriptions` subscriptions.
        package static let tooManySubscriptions = Code("too-many-subscriptions")
    }

    package init(
        _ code: Code, _ title: String, detail: String? = nil, ref: UInt64? = nil,
        seq: UInt64? = nil, index: Int? = nil
    ) {
        self.code = code
        self.title = title
        self.detail = detail
        self.ref = ref
        self.seq = seq
        self.index = index
    }
}
