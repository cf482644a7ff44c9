import StorecastWire

/// Where two values differ: as deep as both have the same members, or arrays of one length.
///
/// Other than a patch, which rather replaces a small value as a whole than say where it changed.
struct JSONDifferences {
    /// At most ``limit``; what comes then isn't looked for.
    private(set) var places: [JSONPointer] = []
    private let limit: Int
    private var path = JSONPointer()

    init(between left: JSON, and right: JSON, limit: Int = 100) {
        self.limit = limit
        compare(left, right)
    }

    /// Whether one of the places is, contains, or lies in one of the other's.
    func touches(_ other: JSONDifferences) -> Bool {
        places.contains { mine in
            other.places.contains { theirs in
                mine.begins(with: theirs) || theirs.begins(with: mine)
            }
        }
    }

    private mutating func compare(_ left: JSON, _ right: JSON) {
        guard places.count < limit else { return }
        switch (left, right) {
        case (.object(let left), .object(let right)):
            for (key, value) in left {
                compare(value, right[key], at: key)
            }
            for (key, _) in right where left[key] == nil { note(key) }
        case (.array(let left), .array(let right)) where left.count == right.count:
            for (index, pair) in zip(left, right).enumerated() {
                compare(pair.0, pair.1, at: "\(index)")
            }
        default: if left != right { places.append(path) }
        }
    }

    private mutating func compare(_ left: JSON, _ right: JSON?, at token: String) {
        guard let right else { return note(token) }
        path.tokens.append(token)
        compare(left, right)
        path.tokens.removeLast()
    }

    private mutating func note(_ token: String) {
        if places.count < limit { places.append(path.appending(token)) }
    }
}
