/// One value inside a ``JSONDocument``: two words, cheap to copy, read on demand.
///
/// Keeps its document's text alive.
public struct JSONView: Sendable {
    /// The six kinds of JSON values.
    public enum Kind: String, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool
        /// Any number.
        case number
        /// A string.
        case string
        /// An array.
        case array
        /// An object.
        case object
    }

    let tape: JSONTape
    let index: Int

    init(_ tape: JSONTape, _ index: Int) {
        self.tape = tape
        self.index = index
    }

    @inline(__always) var entry: TapeEntry { tape.entries[index] }

    /// Which kind of value this is.
    public var kind: Kind {
        switch entry.kind {
        case .null: .null
        case .true, .false: .bool
        case .int, .uint, .double: .number
        case .string, .escapedString: .string
        case .array: .array
        case .object: .object
        }
    }

    /// Whether this is an object.
    public var isObject: Bool { entry.kind == .object }
    /// Whether this is an array.
    public var isArray: Bool { entry.kind == .array }
    /// Whether this is a string.
    public var isString: Bool { entry.isString }
    /// Whether this is a number.
    public var isNumber: Bool { entry.isNumber }
    /// Whether this is `null`.
    public var isNull: Bool { entry.kind == .null }

    /// How many elements or members an array or object has; 0 for anything else.
    public var count: Int { entry.isContainer ? entry.count : 0 }

    /// The member called `key`; nil if there is none or this is no object.
    ///
    /// Complexity: linear in the number of members.
    public subscript(key: StaticString) -> JSONView? {
        member(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    }

    /// The member called `key`; nil if there is none or this is no object.
    ///
    /// Complexity: linear in the number of members.
    @_disfavoredOverload
    public subscript(key: String) -> JSONView? {
        key.withTextBytes { member($0) }
    }

    /// The element at `index`; nil if there is none or this is no array.
    ///
    /// Complexity: linear in `index`; go through ``elements`` to see them all.
    public subscript(index: Int) -> JSONView? {
        index < 0 ? nil : elements.dropFirst(index).first { _ in true }
    }

    private func member(_ name: UnsafeRawBufferPointer) -> JSONView? {
        index(of: name).map { JSONView(tape, $0) }
    }

    /// The tape index of the member called `key`, for who needs no view of it.
    @inline(__always)
    func index(of key: StaticString) -> Int? {
        index(of: UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    }

    private func index(of name: UnsafeRawBufferPointer) -> Int? {
        guard isObject else { return nil }
        let end = entry.link
        var at = index + 1
        while at < end {
            if tape.isString(at, name) { return at + 1 }
            at = tape.after(at + 1)
        }
        return nil
    }

    /// Calls `use` with the exact source text of this value.
    public func withBytes<R>(_ use: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        defer { withExtendedLifetime(tape) {} }
        let quote = entry.isString ? 1 : 0
        return try use(
            UnsafeRawBufferPointer(
                start: tape.text + Int(entry.start) - quote, count: entry.length + 2 * quote))
    }

    /// The same value in a document of its own: a view keeps all of its document's text.
    package var alone: JSONView {
        let limits = JSONLimits.trusted
        guard let document = withBytes({ try? JSONDocument(scanning: $0, limits: limits) }) else {
            preconditionFailure("What was read can't be read again.")
        }
        return document.root
    }

    /// Where the value begins in its document's text, in bytes.
    package var offset: Int { Int(entry.start) - (entry.isString ? 1 : 0) }

    /// The exact source text of this value.
    public var rawText: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension JSONView {
    /// The text of a string; nil for anything else.
    public var string: String? { isString ? tape.string(index) : nil }

    /// Whether this is the string `text`. Makes no `String`.
    public func isString(_ text: StaticString) -> Bool { tape.isText(text, at: index) }

    /// The value of `true` and `false`; nil for anything else.
    public var bool: Bool? {
        switch entry.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// A number that is exactly an `Int`; nil for anything else.
    public var int: Int? { int64.flatMap(Int.init(exactly:)) }

    /// A number that is exactly an `Int64`; nil for anything else.
    ///
    /// `9007199254740993.0` and `1e3` are, by what is written and not by the nearest double.
    public var int64: Int64? {
        switch entry.kind {
        case .int: Int64(bitPattern: entry.payload)
        case .double: withBytes(DecimalDigits.init)?.integer()
        default: nil
        }
    }

    /// A number that is exactly a `UInt64`; nil for anything else.
    public var uint64: UInt64? {
        switch entry.kind {
        case .uint: entry.payload
        case .double: withBytes(DecimalDigits.init)?.integer()
        default: int64.flatMap(UInt64.init(exactly:))
        }
    }

    /// The `Double` nearest to a number; nil for anything else.
    public var double: Double? {
        switch entry.kind {
        case .int: Double(Int64(bitPattern: entry.payload))
        case .uint: Double(entry.payload)
        case .double: Double(bitPattern: entry.payload)
        default: nil
        }
    }

    /// The value as a tree.
    ///
    /// Complexity: linear in its text.
    public var json: JSON {
        switch entry.kind {
        case .null: .null
        case .true: .bool(true)
        case .false: .bool(false)
        case .int: .int(Int64(bitPattern: entry.payload))
        case .uint: .uint(entry.payload)
        case .double: .double(Double(bitPattern: entry.payload))
        case .string, .escapedString: .string(tape.string(index))
        case .array: .array(elements.map(\.json))
        case .object: .object(treeObject)
        }
    }

    private var treeObject: JSONObject {
        var object = JSONObject(reserving: entry.count)
        // The scanner made sure that the names differ.
        for (key, value) in members { object.append(key, value.json) }
        return object
    }
}

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

extension JSONView {
    /// The value's kind with its article, for sentences.
    var article: String {
        switch kind {
        case .null: "null"
        case .bool: bool == true ? "true" : "false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
