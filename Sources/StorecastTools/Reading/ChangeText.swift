import StorecastSync

/// What a patch does to a value, one line a change, for people.
enum ChangeText {
    /// How many bytes of a value are shown.
    private static let longestValue = 120

    /// `+` for what is new, `-` for what is gone, `~` for what has another value, `>` for what has
    /// moved; in the patch's order, in which each path means what the changes before have left.
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
