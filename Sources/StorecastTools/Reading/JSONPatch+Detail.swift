import StorecastSync

extension JSONPatch.Operation {
    /// What the operation does to `value`, in as small changes as can be said: a patch replaces
    /// small values as a whole, as that is shorter, and doesn't say then what is new in them.
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

    /// Elements that came or went in one place, or that changed each by itself; nil for anything
    /// else.
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
