import StorecastSync

/// The changes of a patch as text for people, one line each.
enum ChangeText {
    /// How many bytes of a value are shown.
    private static let longestValue = 120

    /// `+` for what is new, `-` for what is gone, `~` for what has another value, `>` for what has
    /// moved. In the order of the patch: a path refers to the value after the changes before it.
    static func lines(of patch: JSONPatch, from old: JSON) throws -> [String] {
        var value = old
        var lines: [String] = []
        for operation in patch.operations {
            for detail in operation.details(in: value) {
                lines.append(line(of: detail, in: value))
                try JSONPatch([detail]).apply(to: &value, limits: .trusted)
            }
        }
        return lines
    }

    private static func line(of operation: JSONPatch.Operation, in value: JSON) -> String {
        switch operation {
        case .add(let path, let new): "+ \(name(path))  \(text(new))"
        case .remove(let path): "- \(name(path))  \(text(at: path, in: value))"
        case .replace(let path, let new):
            "~ \(name(path))  \(text(at: path, in: value)) → \(text(new))"
        case .move(let from, let path): "> \(name(from)) → \(name(path))"
        case .copy(let from, let path): "+ \(name(path))  \(text(at: from, in: value))"
        case .test(let path, let value): "= \(name(path))  \(text(value))"
        }
    }

    private static func name(_ path: JSONPointer) -> String {
        path.tokens.isEmpty ? "(everything)" : path.description.onOneLine
    }

    private static func text(at path: JSONPointer, in value: JSON) -> String {
        (try? path.resolve(in: value)).map(text) ?? ""
    }

    private static func text(_ value: JSON) -> String {
        value.description.excerpt(longestValue)
    }
}

extension JSONPatch {
    /// The patch as a value.
    var json: JSON {
        get throws {
            var writer = JSONWriter()
            write(to: &writer)
            return try JSONDocument(writer.bytes, limits: .trusted).root.json
        }
    }
}

extension JSONPatch.Operation {
    /// The operation as the smallest possible changes to `value`. A patch replaces small values as
    /// a whole, because that is shorter, and so hides what is new in them.
    func details(in value: JSON) -> [JSONPatch.Operation] {
        guard case .replace(let path, let new) = self, let old = try? path.resolve(in: value) else {
            return [self]
        }
        return Self.changes(at: path, old, new)
    }

    private static func changes(at path: JSONPointer, _ old: JSON, _ new: JSON) -> [Self] {
        switch (old, new) {
        case (.object(let old), .object(let new)) where old.contains { new[$0.key] != nil }:
            let removed = old.filter { new[$0.key] == nil }
            return removed.map { .remove(path: path.appending($0.key)) }
                + new.flatMap { key, value in
                    change(at: path.appending(key), old[key], value)
                }
        case (.array(let old), .array(let new)):
            return elementChanges(at: path, old, new) ?? [.replace(path: path, value: .array(new))]
        default: return [.replace(path: path, value: new)]
        }
    }

    private static func change(at path: JSONPointer, _ old: JSON?, _ new: JSON) -> [Self] {
        guard let old else { return [.add(path: path, value: new)] }
        return old == new ? [] : changes(at: path, old, new)
    }

    /// Elements inserted or removed in one place, or changed each by itself; nil for anything else.
    private static func elementChanges(
        at path: JSONPointer, _ old: [JSON], _ new: [JSON]
    ) -> [Self]? {
        let start = zip(old, new).prefix { $0 == $1 }.count
        let rest = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed())
        let end = rest.prefix { $0 == $1 }.count
        let (gone, come) = (old[start..<old.count - end], new[start..<new.count - end])
        if gone.count == come.count {
            return zip(gone.indices, zip(gone, come)).flatMap { index, pair in
                change(at: path.appending(index), pair.0, pair.1)
            }
        }
        if gone.isEmpty {
            return come.indices.map { .add(path: path.appending($0), value: come[$0]) }
        }
        return come.isEmpty ? gone.map { _ in .remove(path: path.appending(start)) } : nil
    }
}
