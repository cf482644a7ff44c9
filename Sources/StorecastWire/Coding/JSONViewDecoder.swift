/// Decodes one value of a scanned text.
///
/// Three words, so that it fits into `any Decoder` without an allocation. The coding path is worked
/// out when it is asked for, from the containers around it.
struct JSONViewDecoder: Decoder {
    let tape: JSONTape
    private let entryIndex: UInt32
    /// Which element of the array around it this is.
    private let position: UInt32
    /// The container around it that asked for this value.
    let parent: JSONDecodingScope?

    init(_ view: JSONView, position: Int = 0, in parent: JSONDecodingScope? = nil) {
        tape = view.tape
        entryIndex = UInt32(truncatingIfNeeded: view.index)
        self.position = UInt32(truncatingIfNeeded: position)
        self.parent = parent
    }

    var view: JSONView { JSONView(tape, Int(entryIndex)) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var codingPath: [any CodingKey] {
        guard let parent else { return [] }
        if parent.isAround { return parent.recall?.codingPath ?? [] }
        let key =
            parent.view.isObject
            ? JSONCodingKey(tape.string(Int(entryIndex) - 1))
            : JSONCodingKey(intValue: Int(position))
        return parent.codingPath + [key]
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard view.isObject else { throw mismatch([String: JSON].self, "an object") }
        // Where a table was left out, an empty object stands.
        if view.entry.count == 0 { recall?.willRead(view) }
        return KeyedDecodingContainer(JSONKeyedDecoding<Key>(scope: JSONDecodingScope(self)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard view.isArray else { throw mismatch([JSON].self, "an array") }
        return JSONUnkeyedDecoding(self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension JSONViewDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { view.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let value = view.bool else { throw mismatch(type, "true or false") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard let value = view.string else { throw mismatch(type, "a string") }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let value = view.double ?? JSON.number(view) else { throw mismatch(type, "a number") }
        return value
    }

    func decode(_ type: Float.Type) throws -> Float {
        let value = try decode(Double.self)
        let narrow = Float(value)
        guard narrow.isFinite || !value.isFinite else { throw misfit(type) }
        return narrow
    }

    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        // What arrays and optionals of common types ask for needs no way through their own init.
        if type == String.self { return try typed(decode(String.self)) }
        if type == Int.self { return try typed(integer(Int.self)) }
        if type == JSON.self { return try typed(tree) }
        if let known = FoundationType(type) { return try decode(type, known) }
        return try decodeOwn(type)
    }

    /// Apart, for the reason that ``typed(_:)`` is.
    @inline(never)
    private func decode<T: Decodable>(_ type: T.Type, _ known: FoundationType) throws -> T {
        try known.decode(type, from: self) ?? decodeOwn(type)
    }

    /// As the type itself decodes it.
    private func decodeOwn<T: Decodable>(_ type: T.Type) throws -> T {
        // For the container that the type is going to ask for.
        let outer = parent?.reading
        parent?.reading = type
        defer { parent?.reading = outer }
        let value = try T(from: self)
        if tape.isBeyondASCII, T.self is any KeptMembers.Type { try checkNames(of: value) }
        return value
    }

    /// Throws if a dictionary took several members for one, as Swift's `String` does with names
    /// that are canonically equivalent.
    private func checkNames(of value: Any) throws {
        guard view.isObject, let dictionary = value as? any KeptMembers,
            dictionary.count < view.count
        else { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "two members have names that are canonically equivalent: "
                    + "a dictionary of Swift's strings can't hold both"))
    }

    /// A value whose type is known to be `T`.
    ///
    /// Apart, as a function that casts finds the type `T?` whenever it is called, which takes as
    /// long as decoding a number.
    @inline(never)
    private func typed<T>(_ value: Any) throws -> T {
        guard let value = value as? T else { throw mismatch(T.self, "\(T.self)") }
        return value
    }

    @inline(__always)
    func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        if let value = view.int64 {
            if let exact = I(exactly: value) { return exact }
        } else if let value = view.uint64, let exact = I(exactly: value) {
            return exact
        }
        throw view.isNumber ? misfit(type) : mismatch(type, "an integer")
    }

    /// An integer of 128 bits: its digits as a string, or a number.
    func wide<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        guard let text = view.string else { return try integer(type) }
        guard let value = I(text) else { throw mismatch(type, "an integer") }
        return value
    }
}

extension JSONViewDecoder {
    /// What is known of the document from an earlier decoding.
    var recall: TableRecall? {
        var scope = parent
        while let inner = scope, !inner.isAround { scope = inner.decoder.parent }
        return scope?.recall
    }

    /// The value as a tree.
    var tree: JSON {
        recall?.willRead(view)
        return view.json
    }

    /// There is a value, but of another kind.
    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "expected \(expected), found \(view.article)")
        return view.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// There is a number, but `type` can't hold it.
    private func misfit(_ type: Any.Type) -> DecodingError {
        let shown = view.entry.length <= 40 ? view.rawText : "the number"
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "\(shown) does not fit in \(type)")
        return .dataCorrupted(context)
    }
}

/// A dictionary, whose count tells whether members were lost.
private protocol KeptMembers {
    var count: Int { get }
}

extension Dictionary: KeptMembers {}

/// An object or array that is being decoded: where its decoder is, and how far it got.
///
/// A class, because a keyed container's methods aren't mutating and it still has to remember where
/// the last name was: members are mostly asked for in the order in which they were written.
final class JSONDecodingScope {
    let decoder: JSONViewDecoder
    /// Whether this stands around a whole document rather than for a container in it.
    let isAround: Bool
    /// What is known of the document from an earlier decoding, if this stands around it.
    let recall: TableRecall?
    /// Whose members these are.
    private let type: Any.Type?
    /// The type of the value that is being read in here.
    ///
    /// Unchecked, as the cursor is.
    @exclusivity(unchecked) var reading: Any.Type?
    /// The tape index of the name found last, or of the first element.
    ///
    /// Unchecked: read and written by itself only, so accesses can't overlap.
    @exclusivity(unchecked) private(set) var cursor: Int

    init(_ decoder: JSONViewDecoder) {
        self.decoder = decoder
        isAround = false
        recall = nil
        type = decoder.parent?.reading
        cursor = decoder.view.index + 1
    }

    /// The scope of the value at the top of a document.
    init(around view: JSONView, _ recall: TableRecall? = nil) {
        decoder = JSONViewDecoder(view)
        isAround = true
        self.recall = recall
        type = nil
        cursor = 0
    }

    var view: JSONView { decoder.view }
    var codingPath: [any CodingKey] { decoder.codingPath }

    /// The member called `name`: the search begins at the one found last, and wraps around.
    func member(_ name: String) -> JSONView? {
        name.withTextBytes { name in
            let tape = decoder.tape
            let view = decoder.view
            let end = view.entry.link
            var at = cursor
            for _ in 0..<view.entry.count {
                if tape.isString(at, name) {
                    cursor = at
                    return JSONView(tape, at + 1)
                }
                at = tape.after(at + 1)
                if at >= end { at = view.index + 1 }
            }
            return nil
        }
    }

    /// What stands for a member that is missing, in an object of a type that is ``Evolving``.
    func memberDefault(_ name: String) throws -> JSONView? {
        guard let evolving = type as? any Evolving.Type,
            let value = evolving.memberDefaults.object?[name]
        else { return nil }
        let object = JSON.object([name: value])
        return try JSONDocument(object.bytes, limits: .trusted).root[name]
    }
}
