/// Reads the members of one frame; an error names the frame's `op` and the member.
struct FrameFields {
    let view: JSONView
    let op: String

    /// The fields of an object whose `op` is known.
    init(_ view: JSONView, op: String) {
        self.view = view
        self.op = op
    }

    init(_ view: JSONView) throws(FrameError) {
        guard view.isObject else {
            throw FrameError(
                .invalidFrame, "A frame must be a JSON object.",
                detail: "It is \(view.article).")
        }
        guard let op = view["op"]?.string else {
            throw FrameError(
                .invalidFrame, "A frame must have a string member 'op'.",
                ref: Self.number("ref", of: view), seq: Self.number("seq", of: view))
        }
        self.init(view, op: op)
    }

    /// A number that an error repeats, so that its reader knows which frame it is about.
    private static func number(_ name: StaticString, of view: JSONView) -> UInt64? {
        view[name].flatMap(integer)
    }

    func value(_ name: StaticString) throws(FrameError) -> JSONView {
        guard let member = view[name] else { throw missing(name) }
        return member
    }

    func optional(_ name: StaticString) -> JSONView? {
        view[name]
    }

    func string(_ name: StaticString) throws(FrameError) -> String {
        guard let text = try value(name).string else { throw wrong(name, "a string") }
        return text
    }

    func optionalString(_ name: StaticString) throws(FrameError) -> String? {
        guard let member = optional(name) else { return nil }
        guard let text = member.string else { throw wrong(name, "a string") }
        return text
    }

    func integer(_ name: StaticString) throws(FrameError) -> UInt64 {
        guard let number = try optionalInteger(name) else { throw missing(name) }
        return number
    }

    func optionalInteger(_ name: StaticString) throws(FrameError) -> UInt64? {
        guard let index = view.index(of: name) else { return nil }
        // As nearly all are; without a view, which would count a reference to the text.
        let entry = view.tape.entries[index]
        if entry.kind == .int, entry.payload <= ProtocolVersion.largestInteger {
            return entry.payload
        }
        return try integer(name, in: JSONView(view.tape, index))
    }

    func bool(_ name: StaticString) throws(FrameError) -> Bool {
        guard let flag = try value(name).bool else { throw wrong(name, "true or false") }
        return flag
    }

    func number(_ name: StaticString) throws(FrameError) -> Double {
        guard let number = try optionalNumber(name) else { throw missing(name) }
        return number
    }

    func optionalNumber(_ name: StaticString) throws(FrameError) -> Double? {
        guard let member = optional(name) else { return nil }
        guard let number = member.double else { throw wrong(name, "a number") }
        return number
    }

    /// `{"epoch": …, "v": …}`, and whatever else the member holds.
    func optionalPosition(_ name: StaticString) throws(FrameError) -> Position? {
        guard let member = optional(name) else { return nil }
        guard member.isObject, let epoch = member["epoch"]?.string, let v = member["v"] else {
            throw wrong(name, "an object with a string 'epoch' and an integer 'v'")
        }
        return Position(epoch: epoch, version: try integer(name, in: v))
    }

    func integer(_ name: StaticString, in member: JSONView) throws(FrameError) -> UInt64 {
        guard let number = Self.integer(member) else {
            throw wrong(name, "an integer from 0 to 2^53 - 1")
        }
        return number
    }

    /// The integer that a protocol member may be; nil for anything else.
    static func integer(_ view: JSONView) -> UInt64? {
        view.uint64.flatMap { $0 <= ProtocolVersion.largestInteger ? $0 : nil }
    }

    func wrong(_ name: StaticString, _ expected: String) -> FrameError {
        error("'\(name)' of '\(op)' must be \(expected).")
    }

    func error(
        _ detail: String, code: FrameError.Code = .invalidFrame,
        title: String = "A member of the frame is missing or of the wrong type."
    ) -> FrameError {
        FrameError(
            code, title, detail: detail, ref: Self.number("ref", of: view),
            seq: Self.number("seq", of: view))
    }

    private func missing(_ name: StaticString) -> FrameError {
        error("'\(name)' of '\(op)' is missing.")
    }
}

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

extension FrameError: CustomStringConvertible {
    /// A sentence, and what exactly was wrong.
    package var description: String { detail.map { "\(title) \($0)" } ?? title }
}
