extension JSONView {
    /// The elements of an array in order; none for anything else.
    public var elements: Elements { Elements(self) }

    /// The members of an object in the order of the text; none for anything else.
    public var members: Members { Members(self) }

    /// Goes through the elements of an array.
    public struct Elements: Sequence, IteratorProtocol, Sendable {
        private let tape: JSONTape
        private var at: Int
        private let end: Int
        /// The number of elements.
        public let underestimatedCount: Int

        init(_ view: JSONView) {
            tape = view.tape
            at = view.index + 1
            end = view.isArray ? view.entry.link : at
            underestimatedCount = view.isArray ? view.entry.count : 0
        }

        /// The next element; nil at the end.
        public mutating func next() -> JSONView? {
            guard at < end else { return nil }
            defer { at = tape.after(at) }
            return JSONView(tape, at)
        }
    }

    /// Goes through the members of an object.
    public struct Members: Sequence, IteratorProtocol, Sendable {
        private let tape: JSONTape
        private var at: Int
        private let end: Int
        /// The number of members.
        public let underestimatedCount: Int

        init(_ view: JSONView) {
            tape = view.tape
            at = view.index + 1
            end = view.isObject ? view.entry.link : at
            underestimatedCount = view.isObject ? view.entry.count : 0
        }

        /// The next member; nil at the end.
        public mutating func next() -> (key: String, value: JSONView)? {
            guard at < end else { return nil }
            defer { at = tape.after(at + 1) }
            return (tape.string(at), JSONView(tape, at + 1))
        }
    }
}
