extension JSONPatch {
    /// Reads a patch: an array of operation objects. Members that an operation doesn't need are
    /// ignored (RFC 6902 §4).
    ///
    /// - Throws: ``JSONPatchError`` that says which operation lacks what.
    public init(reading view: JSONView) throws(JSONPatchError) {
        guard view.isArray else {
            throw JSONPatchError(.malformed("A patch is an array, not \(view.article)."))
        }
        operations = []
        operations.reserveCapacity(view.count)
        for (index, element) in view.elements.enumerated() {
            do {
                operations.append(try Operation(reading: element))
            } catch {
                throw JSONPatchError(error.reason, at: index)
            }
        }
    }

    /// Writes the patch.
    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for operation in operations { operation.write(to: &writer) }
        writer.endArray()
    }
}

extension JSONPatch.Operation {
    /// Reads one operation object.
    init(reading view: JSONView) throws(JSONPatchError) {
        guard let op = view["op"]?.string else {
            throw JSONPatchError(.malformed("It has no member \"op\" that is a string."))
        }
        let path = try Self.pointer("path", of: view)
        switch op {
        case "add": self = .add(path: path, value: try Self.value(of: view))
        case "remove": self = .remove(path: path)
        case "replace": self = .replace(path: path, value: try Self.value(of: view))
        case "move": self = .move(from: try Self.pointer("from", of: view), path: path)
        case "copy": self = .copy(from: try Self.pointer("from", of: view), path: path)
        case "test": self = .test(path: path, value: try Self.value(of: view))
        default:
            throw JSONPatchError(.malformed("There is no operation \"\(op.excerpt(40))\"."))
        }
    }

    private static func pointer(
        _ member: StaticString, of view: JSONView
    ) throws(JSONPatchError) -> JSONPointer {
        guard let text = view[member]?.string else {
            throw JSONPatchError(.malformed("It has no member \"\(member)\" that is a string."))
        }
        do {
            return try JSONPointer(parsing: text)
        } catch {
            throw JSONPatchError(.path(error))
        }
    }

    private static func value(of view: JSONView) throws(JSONPatchError) -> JSON {
        guard let value = view["value"] else {
            throw JSONPatchError(.malformed("It has no member \"value\"."))
        }
        return value.json
    }

    /// Writes the operation object, `op` first.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write(key: "op")
        writer.write(name)
        if case .move(let from, _) = self { Self.write("from", from, to: &writer) }
        if case .copy(let from, _) = self { Self.write("from", from, to: &writer) }
        Self.write("path", path, to: &writer)
        if let value {
            writer.write(key: "value")
            writer.write(value)
        }
        writer.endObject()
    }

    private static func write(
        _ member: StaticString, _ pointer: JSONPointer, to writer: inout JSONWriter
    ) {
        writer.write(key: member)
        writer.write(pointer.description)
    }

    /// The value of `op`.
    private var name: String {
        switch self {
        case .add: "add"
        case .remove: "remove"
        case .replace: "replace"
        case .move: "move"
        case .copy: "copy"
        case .test: "test"
        }
    }

    /// Where the operation does or finds something.
    var path: JSONPointer {
        switch self {
        case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path),
            .copy(_, let path), .test(let path, _):
            path
        }
    }

    /// What it adds, or finds.
    var value: JSON? {
        switch self {
        case .add(_, let value), .replace(_, let value), .test(_, let value): value
        case .remove, .move, .copy: nil
        }
    }

    /// How many bytes its text has.
    var encodedSize: Int { encodedSize(upTo: .max) }

    /// As ``encodedSize``, but stops counting the value's bytes once they are at least `limit`.
    func encodedSize(upTo limit: Int) -> Int {
        let from: JSONPointer? =
            switch self {
            case .move(let from, _), .copy(let from, _): from
            default: nil
            }
        // {"op":"","path":} and ,"from": and ,"value":
        return 17 + name.utf8.count + path.encodedSize
            + (from.map { 8 + $0.encodedSize } ?? 0)
            + (value.map { 9 + $0.encodedSize(upTo: limit) } ?? 0)
    }
}
