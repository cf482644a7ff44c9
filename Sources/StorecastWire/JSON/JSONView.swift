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
        guard isObject else { return nil }
        let end = entry.link
        var at = index + 1
        while at < end {
            if tape.isString(at, name) { return JSONView(tape, at + 1) }
            at = tape.after(at + 1)
        }
        return nil
    }

    /// Lends the exact source text of this value.
    public func withBytes<R>(_ use: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        defer { withExtendedLifetime(tape) {} }
        let quote = entry.isString ? 1 : 0
        return try use(
            UnsafeRawBufferPointer(
                start: tape.text + Int(entry.start) - quote, count: entry.length + 2 * quote))
    }

    /// The exact source text of this value.
    public var rawText: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
