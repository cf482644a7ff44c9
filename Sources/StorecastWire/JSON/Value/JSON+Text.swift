extension JSON: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as compact JSON text in UTF-8. Complexity: linear.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }

    /// The one text that all values equal to this one share (see ``JSONWriter/write(canonical:)``).
    public var canonicalBytes: [UInt8] {
        var writer = JSONWriter()
        writer.write(canonical: self)
        return writer.bytes
    }

    /// How many bytes the compact text has. Complexity: linear, without writing it.
    public var encodedSize: Int {
        switch self {
        case .null: 4
        case .bool(let value): value ? 4 : 5
        case .int(let value): Self.digits(value.magnitude) + (value < 0 ? 1 : 0)
        case .uint(let value): Self.digits(value)
        case .double(let value): Self.size(value)
        case .string(let text): Self.size(text)
        case .array, .object: encodedSize(upTo: .max)
        }
    }

    /// As ``encodedSize``, but stops counting once the size is at least `limit`.
    package func encodedSize(upTo limit: Int) -> Int {
        var size = 0
        addEncodedSize(to: &size, upTo: limit)
        return size
    }

    private func addEncodedSize(to size: inout Int, upTo limit: Int) {
        switch self {
        case .array(let elements):
            size += max(elements.count, 1) + 1
            // Without copying each, which counts references.
            elements.withUnsafeBufferPointer { elements in
                for index in elements.indices {
                    if size >= limit { return }
                    if case .int(let value) = elements[index] {
                        size &+= Self.digits(value.magnitude) &+ (value < 0 ? 1 : 0)
                    } else {
                        elements[index].addEncodedSize(to: &size, upTo: limit)
                    }
                }
            }
        case .object(let object):
            size += max(object.count, 1) + 1
            for (key, value) in object {
                guard size < limit else { return }
                size += Self.size(key) + 1
                value.addEncodedSize(to: &size, upTo: limit)
            }
        default: size += encodedSize
        }
    }

    /// How many more bytes the compact text of `new` has than that of `old`.
    ///
    /// Complexity: linear; what both share the storage of isn't looked into.
    package static func growth(from old: JSON, to new: JSON) -> Int {
        switch (old, new) {
        case (.string(let old), .string(let new)) where old.isSameText(as: new): 0
        case (.array(let old), .array(let new)): growth(from: old, to: new)
        case (.object(let old), .object(let new)): growth(from: old, to: new)
        default: new.encodedSize - old.encodedSize
        }
    }

    private static func growth(from old: [JSON], to new: [JSON]) -> Int {
        var growth = max(new.count, 1) - max(old.count, 1)
        var (before, after) = (old[...], new[...])
        while let first = before.first, let match = after.first, first == match {
            // Equal numbers can be written in two ways.
            growth += Self.growth(from: before.removeFirst(), to: after.removeFirst())
        }
        while let last = before.last, let match = after.last, last == match {
            growth += Self.growth(from: before.removeLast(), to: after.removeLast())
        }
        if before.count == 1, after.count == 1, let old = before.first, let new = after.first {
            return growth + Self.growth(from: old, to: new)
        }
        return after.reduce(growth) { $0 + $1.encodedSize }
            - before.reduce(0) { $0 + $1.encodedSize }
    }

    private static func growth(from old: JSONObject, to new: JSONObject) -> Int {
        if old.isSameStorage(as: new) { return 0 }
        var growth = max(new.count, 1) - max(old.count, 1)
        var kept = 0
        for (key, value) in new {
            if let match = old[key] {
                kept += 1
                growth += Self.growth(from: match, to: value)
            } else {
                growth += size(key) + 1 + value.encodedSize
            }
        }
        guard kept < old.count else { return growth }
        for (key, value) in old where new[key] == nil {
            growth -= size(key) + 1 + value.encodedSize
        }
        return growth
    }

    /// How deep arrays and objects are nested in this: 0 for a scalar, 1 for an empty array.
    ///
    /// Complexity: linear.
    public var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.lazy.map(\.depth).max() ?? 0)
        case .object(let object): 1 + (object.lazy.map(\.value.depth).max() ?? 0)
        default: 0
        }
    }

    /// Whether arrays and objects are nested in more than `limit` levels.
    ///
    /// Complexity: linear; goes no deeper than the limit.
    package func isNested(deeperThan limit: Int) -> Bool {
        switch self {
        case .array(let elements):
            limit < 1 || elements.contains { $0.isNested(deeperThan: limit - 1) }
        case .object(let object):
            limit < 1 || object.contains { $0.value.isNested(deeperThan: limit - 1) }
        default: false
        }
    }

    /// How many bytes `text` has as a JSON string, quotes included.
    static func size(_ text: String) -> Int {
        text.withTextBytes { bytes in
            var size = bytes.count + 2
            var at = JSONWriter.plainPrefix(of: bytes, from: 0)
            while at < bytes.count {
                size += JSONWriter.shortEscape(of: bytes[at]) == nil ? 5 : 1
                at = JSONWriter.plainPrefix(of: bytes, from: at + 1)
            }
            return size
        }
    }

    private static func size(_ number: Double) -> Int {
        if number != 0, let integer = number.exactInteger { return JSON.int(integer).encodedSize }
        var writer = JSONWriter(reserving: 32)
        writer.write(number)
        return writer.bytes.count
    }

    private static func digits(_ value: UInt64) -> Int {
        // 1233 / 4096 is a little more than the logarithm of 2.
        let least = ((64 &- (value | 1).leadingZeroBitCount) &* 1233) &>> 12
        return least &+ (value | 1 >= powersOfTen[least] ? 1 : 0)
    }
}

/// From 1 on.
private let powersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]
