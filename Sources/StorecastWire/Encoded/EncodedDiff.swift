/// Finds the operations that turn the JSON of one value into that of another, and encodes only what
/// they don't have in common.
///
/// Values are the same if their memory is: a copy shares what the original refers to. Nothing asks
/// for `==`, which takes canonically equivalent strings for one, and may ignore members. Where
/// memory differs, one level of both is encoded, and their members are compared in turn. So the
/// work follows what differs, for any `Encodable` type.
struct EncodedDiff {
    private(set) var diff = JSONDiff()
    /// How many more bytes the compact text of the new value has.
    private(set) var growth = 0
    /// How many values were encoded, whole or one level of them.
    private(set) var encodedCount = 0

    mutating func compare<T: Encodable>(_ old: T, _ new: T) throws {
        if StorecastWire.isSameMemory(old, new) { return }
        encodedCount += 1
        if let before = try JSONNodeEncoder.scalar(old),
            let after = try JSONNodeEncoder.scalar(new)
        {
            return compare(before, after)
        }
        // As `old` may be an optional without a value, or of another class.
        if let new = new as? any NamedMembers, try compareMembers(old, new) { return }
        if let new = new as? any ElementList, try compareElements(old, new) { return }
        guard diff.path.tokens.count <= JSONLimits.deepestValue else {
            throw JSONEncoding.depthError
        }
        let before = try JSONEncoding.encodeLevel(of: old)
        let after = try JSONEncoding.encodeLevel(of: new)
        if before.isMixed || after.isMixed {
            return compare(try JSONCoding.encodeTree(old), try JSONCoding.encodeTree(new))
        }
        try compare(before, 0, after, 0)
    }

    private mutating func compare(_ old: JSON, _ new: JSON) {
        growth += JSON.growth(from: old, to: new)
        diff.compare(old, new)
    }

    private mutating func descend(
        to token: String, _ compare: (inout EncodedDiff) throws -> Void
    ) rethrows {
        diff.path.tokens.append(token)
        try compare(&self)
        diff.path.tokens.removeLast()
    }

    private mutating func remove(_ name: String, _ value: JSON) {
        growth -= JSON.size(name) + 1 + value.encodedSize
        diff.emit(.remove(path: diff.pointer(name)))
    }

    private mutating func add(_ name: String, _ value: JSON) {
        growth += JSON.size(name) + 1 + value.encodedSize
        diff.emit(.add(path: diff.pointer(name), value: value))
    }

    /// Counts the commas of an array or object.
    private mutating func resize(from old: Int, to new: Int) {
        growth += max(new, 1) - max(old, 1)
    }

    private mutating func encode(_ value: some Encodable) throws -> JSON {
        encodedCount += 1
        return try JSONCoding.encodeTree(value)
    }

    /// Elements of an array, in one go.
    private mutating func encode(_ elements: ArraySlice<some Encodable>) throws -> [JSON] {
        encodedCount += elements.count
        return try JSONEncoding.encode(Array(elements)).tree.array ?? []
    }
}

/// One level of two values, node by node.
extension EncodedDiff {
    private mutating func compare(
        _ old: JSONEncoding, _ oldNode: Int, _ new: JSONEncoding, _ newNode: Int
    ) throws {
        switch (old.nodes[oldNode].shape, new.nodes[newNode].shape) {
        case (.object, .object), (.object, .nothing), (.nothing, .object):
            try compareMembers(old, oldNode, new, newNode)
        case (.array, .array):
            try compareElements(old, oldNode, new, newNode)
        case (.kept, .kept):
            try compareKept(old.kept(oldNode), new.kept(newNode))
        default:
            compare(try old.whole(oldNode), try new.whole(newNode))
        }
    }

    private mutating func compareKept<T: Encodable>(_ old: T, _ new: any Encodable) throws {
        if let new = new as? T {
            try compare(old, new)
        } else {
            compare(try encode(old), try encode(new))
        }
    }

    private mutating func compareMembers(
        _ old: JSONEncoding, _ oldNode: Int, _ new: JSONEncoding, _ newNode: Int
    ) throws {
        let start = diff.mark
        let (before, after) = (old.members(of: oldNode), new.members(of: newNode))
        resize(from: before.count, to: after.count)
        var kept = 0
        for (name, node) in before {
            if let match = after[name]?.int, let node = node.int {
                kept += 1
                try descend(to: name) { try $0.compare(old, node, new, match) }
            } else if let node = node.int {
                remove(name, try old.whole(node))
            }
        }
        if kept < after.count {
            for (name, node) in after where before[name] == nil {
                if let node = node.int { add(name, try new.whole(node)) }
            }
        }
        try diff.replaceIfSmaller(since: start) { try new.whole(newNode, below: $0) }
    }

    private mutating func compareElements(
        _ old: JSONEncoding, _ oldNode: Int, _ new: JSONEncoding, _ newNode: Int
    ) throws {
        let start = diff.mark
        var before = old.children(of: oldNode)[...]
        var after = new.children(of: newNode)[...]
        resize(from: before.count, to: after.count)
        while let first = before.first, let match = after.first, isSame(old, first, new, match) {
            (before, after) = (before.dropFirst(), after.dropFirst())
        }
        while let last = before.last, let match = after.last, isSame(old, last, new, match) {
            (before, after) = (before.dropLast(), after.dropLast())
        }
        if before.count == 1, after.count == 1 {
            let (oldElement, newElement) = (before[before.startIndex], after[after.startIndex])
            try descend(to: String(before.startIndex)) {
                try $0.compare(old, oldElement, new, newElement)
            }
        } else {
            encodedCount += before.count + after.count
            compareRun(
                try before.map { try old.whole($0) }, try after.map { try new.whole($0) },
                from: before.startIndex)
        }
        try diff.replaceIfSmaller(since: start) { try new.whole(newNode, below: $0) }
    }

    private func isSame(
        _ old: JSONEncoding, _ oldNode: Int, _ new: JSONEncoding, _ newNode: Int
    ) -> Bool {
        switch (old.nodes[oldNode].shape, new.nodes[newNode].shape) {
        case (.value, .value):
            let (before, after) = (old.nodes[oldNode].value, new.nodes[newNode].value)
            return before == after && before.encodedSize == after.encodedSize
        case (.kept, .kept): return isSameMemory(old.kept(oldNode), as: new.kept(newNode))
        default: return false
        }
    }

    private func isSameMemory<T: Encodable>(_ old: T, as new: any Encodable) -> Bool {
        (new as? T).map { StorecastWire.isSameMemory(old, $0) } ?? false
    }

    private mutating func compareRun(_ old: [JSON], _ new: [JSON], from start: Int) {
        growth += new.reduce(0) { $0 + $1.encodedSize } - old.reduce(0) { $0 + $1.encodedSize }
        diff.compare(old, new, from: start)
    }
}

/// Types that can be compared without encoding a whole level of them.
extension EncodedDiff {
    /// False if `old` is no `M`, and so nothing was compared.
    private mutating func compareMembers<M: NamedMembers>(
        _ old: some Encodable, _ new: M
    ) throws -> Bool {
        guard let old = old as? M else { return false }
        let start = diff.mark
        resize(from: old.count, to: new.count)
        try new.forEachChange(since: old) { name, before, after in
            switch (before, after) {
            case (let before?, let after?):
                try descend(to: name) { try $0.compare(before, after) }
            case (let before?, nil): remove(name, try encode(before))
            case (nil, let after?): add(name, try encode(after))
            case (nil, nil): break
            }
        }
        try replaceIfSmaller(new, since: start, atLeast: 5 * new.count + 1)
        return true
    }

    /// False if `old` is no `List`, and so nothing was compared.
    private mutating func compareElements<List: ElementList>(
        _ old: some Encodable, _ new: List
    ) throws -> Bool {
        guard let old = old as? List else { return false }
        let start = diff.mark
        let (before, after) = (old.elements, new.elements)
        resize(from: before.count, to: after.count)
        let gaps = ElementGaps(from: before, to: after)
        if let gap = gaps.only {
            if gap.old.count == 1, gap.new.count == 1 {
                try descend(to: String(gap.new.lowerBound)) {
                    try $0.compare(before[gap.old.lowerBound], after[gap.new.lowerBound])
                }
            } else {
                compareRun(
                    try encode(before[gap.old]), try encode(after[gap.new]),
                    from: gap.new.lowerBound)
            }
        } else {
            try compare(before, after, gaps)
        }
        try replaceIfSmaller(new, since: start, atLeast: 2 * after.count + 1)
        return true
    }

    private mutating func compare<Element: Encodable>(
        _ old: [Element], _ new: [Element], _ gaps: ElementGaps
    ) throws {
        let before = try gaps.all.map { try encode(old[$0.old]) }
        let after = try gaps.all.map { try encode(new[$0.new]) }
        let (oldRest, newRest) = (before.flatMap(\.self), after.flatMap(\.self))
        let names = JSONElementNames(oldRest[...], newRest[...])
        guard gaps.areCrossed(by: names) else {
            for (index, gap) in gaps.all.enumerated() {
                compareRun(before[index], after[index], from: gap.new.lowerBound)
            }
            return
        }
        growth += newRest.reduce(0) { $0 + $1.encodedSize }
        growth -= oldRest.reduce(0) { $0 + $1.encodedSize }
        let list = gaps.filled(oldRest, newRest, names)
        diff.rearrange(
            list.old.values[...], list.new.values[...],
            ArrayAlignment(from: list.old.names, to: list.new.names), from: list.start)
    }

    private mutating func replaceIfSmaller(
        _ new: some Encodable, since start: JSONDiff.Mark, atLeast least: Int
    ) throws {
        try diff.replaceIfSmaller(since: start) { room in
            least < room ? try JSONEncoding.encode(new, below: room) : nil
        }
    }
}

extension JSONPatch {
    /// The operations that turn the JSON of `old` into that of `new`, and by how many bytes that
    /// makes its compact text longer. As ``diff(from:to:)`` finds them, mostly.
    ///
    /// What a type's `encode(to:)` writes may depend on nothing but the value: not on its coding
    /// path, nor on what changes behind a reference that both have.
    ///
    /// Complexity: that of copying the arrays and dictionaries that changed, and of encoding what
    /// changed in them. An element that changed is encoded whole, unless it is the only one.
    ///
    /// - Throws: As ``JSONCoding/encodeTree(_:)`` does for either.
    package static func diff<T: Encodable>(
        encoding old: T, _ new: T
    ) throws -> (patch: JSONPatch, growth: Int) {
        var diff = EncodedDiff()
        do {
            try diff.compare(old, new)
            let patch = JSONPatch(diff.diff.operations)
            if patch.nestsTooDeeply { throw JSONEncoding.depthError }
            return (patch, diff.growth)
        } catch {
            // Encoding the whole tells where the fault is; or that it is none, as the type's own
            // `encode(to:)` deals with it.
            let (before, after) = try (JSONCoding.encodeTree(old), JSONCoding.encodeTree(new))
            let patch = JSONPatch.diff(from: before, to: after)
            return (patch, after.encodedSize - before.encodedSize)
        }
    }

    /// Whether it puts something too deep into a value that isn't nested too deeply.
    package var nestsTooDeeply: Bool {
        operations.contains { operation in
            let limit = JSONLimits.deepestValue - operation.path.tokens.count
            return operation.value?.isNested(deeperThan: limit) ?? false
        }
    }
}
