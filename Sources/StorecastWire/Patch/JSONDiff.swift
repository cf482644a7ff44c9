/// Finds the operations that turn one value into another.
struct JSONDiff {
    private(set) var operations: [JSONPatch.Operation] = []
    /// How many bytes of text the operations make, a comma for each included.
    private var size = 0
    /// Where the comparison is.
    var path = JSONPointer()
    /// How much was compared and written, in bytes, about.
    private(set) var work = 0
    private let limit: Int

    /// A comparison that gives up after work of `limit` bytes, about.
    init(limit: Int = .max) { self.limit = limit }

    /// Whether there was more to do than may be done; the operations say nothing then.
    var isGivenUp: Bool { work > limit }

    /// How far the operations were at some time.
    struct Mark {
        fileprivate let count: Int
        fileprivate let size: Int
    }

    var mark: Mark { Mark(count: operations.count, size: size) }

    mutating func compare(_ old: JSON, _ new: JSON) {
        guard !isGivenUp else { return }
        let start = mark
        switch (old, new) {
        case (.object(let old), .object(let new)): compare(old, new)
        case (.array(let old), .array(let new)): compare(old, new, isWhole: true)
        default:
            if !isEqual(old, new) { emit(.replace(path: path, value: new)) }
            return
        }
        replaceIfSmaller(since: start) { room in
            new.encodedSize(upTo: room) < room ? new : nil
        }
    }

    /// One operation that replaces it all may be smaller than the many since `start` that change
    /// it. Then it stands for them.
    ///
    /// - Parameter whole: Gives the new value, or nil if its text has `room` bytes or more.
    mutating func replaceIfSmaller(
        since start: Mark, _ whole: (_ room: Int) throws -> JSON?
    ) rethrows {
        guard operations.count > start.count else { return }
        // {"op":"replace","path":,"value":} and a comma.
        let room = size - start.size - 34 - path.encodedSize
        guard room > 0, !isGivenUp else { return }
        guard let value = try whole(room) else { return spend(room) }
        operations.removeSubrange(start.count...)
        size = start.size
        emit(.replace(path: path, value: value))
    }

    mutating func emit(_ operation: JSONPatch.Operation) {
        let bytes = operation.encodedSize + 1
        spend(bytes)
        size += bytes
        operations.append(operation)
    }

    private mutating func spend(_ amount: Int) { work += amount }

    /// As `==`, counting what is compared; anything once given up.
    private mutating func isEqual(_ old: JSON, _ new: JSON) -> Bool {
        spend(8)
        guard !isGivenUp else { return true }
        switch (old, new) {
        case (.array(let old), .array(let new)):
            guard old.count == new.count else { return false }
            if old.hasSameStorage(as: new) { return true }
            for index in old.indices where !isEqual(old[index], new[index]) { return false }
            return true
        case (.object(let old), .object(let new)):
            guard old.count == new.count else { return false }
            if old.isSameStorage(as: new) { return true }
            for (key, value) in old {
                guard let match = new[key], isEqual(value, match) else { return false }
            }
            return true
        case (.string(let old), .string(let new)):
            spend(old.utf8.count)
            return old.isSameText(as: new)
        default: return old == new
        }
    }

    /// Compares two members or elements that are at `token` of this place.
    mutating func compare(_ old: JSON, _ new: JSON, at token: String) {
        path.tokens.append(token)
        compare(old, new)
        path.tokens.removeLast()
    }

    /// The path of a member or element of this place.
    func pointer(_ token: String) -> JSONPointer { path.appending(token) }

    private mutating func compare(_ old: JSONObject, _ new: JSONObject) {
        if old.isSameStorage(as: new) { return }
        var kept = 0
        var inOrder = new.makeIterator()
        for (key, value) in old {
            // Two versions of one object mostly have their members in the same order.
            let next = inOrder.next()
            let isNext = next.map { $0.key.isSameText(as: key) } ?? false
            if let match = isNext ? next?.value : new[key] {
                kept += 1
                compareUnlessEqual(value, match, at: key)
            } else {
                emit(.remove(path: pointer(key)))
            }
        }
        guard kept < new.count else { return }
        for (key, value) in new where old[key] == nil {
            emit(.add(path: pointer(key), value: value))
        }
    }

    /// As ``compare(_:_:at:)``, without building the path for scalars that are equal.
    @inline(__always)
    fileprivate mutating func compareUnlessEqual(
        _ old: JSON, _ new: JSON, at token: @autoclosure () -> String
    ) {
        switch (old, new) {
        case (.object, .object), (.array, .array): compare(old, new, at: token())
        default: if !isEqual(old, new) { compare(old, new, at: token()) }
        }
    }
}

extension JSONDiff {
    /// Compares two runs of elements that begin at `offset`.
    ///
    /// - Parameter isWhole: whether they are all elements of their arrays.
    mutating func compare(
        _ old: [JSON], _ new: [JSON], from offset: Int = 0, isWhole: Bool = false
    ) {
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, isEqual(old[start], new[start]) { start += 1 }
        if start == old.count, start == new.count { return }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, isEqual(old[oldEnd - 1], new[newEnd - 1]) {
            (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
        }
        let before = old[start..<oldEnd]
        let after = new[start..<newEnd]
        if before.count == 1, after.count == 1 {
            return compare(old[start], new[start], at: String(offset + start))
        }
        // To name them is to hash each, and to align them takes about as long as the names.
        if limit < .max {
            spend(128 * (before.count + after.count))
            guard !isGivenUp else { return }
            for element in before { spend(element.encodedSize(upTo: max(limit - work, 1))) }
            for element in after { spend(element.encodedSize(upTo: max(limit - work, 1))) }
            guard !isGivenUp else { return }
        }
        let names = JSONElementNames(before, after)
        let alignment = ArrayAlignment(from: names.old, to: names.new)
        // Where each step takes more than its share of the new value, it is replaced whole, and
        // the steps needn't be written: the shortest is {"op":"remove","path":"…/0"} and a comma, the
        // replacement 34 bytes, the path and the value.
        if isWhole, alignment.steps.count > 8 {
            let least = alignment.steps.count * (26 + path.encodedSize) - 34 - path.encodedSize
            let value = JSON.array(new)
            if value.encodedSize(upTo: least) < least {
                return emit(.replace(path: path, value: value))
            }
        }
        rearrange(before, after, alignment, from: offset + start)
    }

    /// Turns one run of elements, which begins at `start`, into another.
    mutating func rearrange(
        _ old: ArraySlice<JSON>, _ new: ArraySlice<JSON>, _ alignment: ArrayAlignment,
        from start: Int
    ) {
        for step in alignment.steps where !isGivenUp {
            switch step {
            case .remove(let index):
                emit(.remove(path: pointer(String(start + index))))
            case .insert(let source, let index):
                let value = new[new.startIndex + source]
                emit(.add(path: pointer(String(start + index)), value: value))
            case .move(let from, let index):
                let from = pointer(String(start + from))
                emit(.move(from: from, path: pointer(String(start + index))))
            }
        }
        for (oldIndex, newIndex) in alignment.pairs where !isGivenUp {
            compareUnlessEqual(
                old[old.startIndex + oldIndex], new[new.startIndex + newIndex],
                at: String(start + newIndex))
        }
    }
}

extension [JSON] {
    /// Whether it is a copy that shares its elements' memory.
    fileprivate func hasSameStorage(as other: [JSON]) -> Bool {
        withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
        }
    }
}

/// Numbers for the elements of two arrays: equal where the elements are the same thing.
///
/// Elements are the same thing if they have the same `id`, where every element is an object with a
/// scalar `id` of its own; else if they are equal: of several equal ones, the first with the first,
/// the second with the second and so on. Either way no number comes twice in one array.
struct JSONElementNames {
    private(set) var old: [Int] = []
    private(set) var new: [Int] = []
    private var numbers: [JSON: Int] = [:]
    private var repeats: [Int: Int] = [:]
    private var count = 0

    init(_ old: ArraySlice<JSON>, _ new: ArraySlice<JSON>) {
        if let oldIds = Self.ids(of: old), let newIds = Self.ids(of: new) {
            self.old = oldIds.map { number($0) }
            self.new = newIds.map { number($0) }
        } else {
            self.old = numbers(of: old)
            self.new = numbers(of: new)
        }
    }

    private static func ids(of elements: ArraySlice<JSON>) -> [JSON]? {
        var seen: Set<JSON> = []
        var ids: [JSON] = []
        ids.reserveCapacity(elements.count)
        for element in elements {
            guard let id = element["id"], id.isScalar, seen.insert(id).inserted else { return nil }
            ids.append(id)
        }
        return ids
    }

    private mutating func number(_ value: JSON) -> Int {
        if let number = numbers[value] { return number }
        count += 1
        numbers[value] = count
        return count
    }

    private mutating func numbers(of elements: ArraySlice<JSON>) -> [Int] {
        // For each number the last one used in its place: the second of two equal elements gets the
        // number that belongs to the first one's.
        var last: [Int: Int] = [:]
        return elements.map { element in
            let first = number(element)
            let number = last[first].map { next(after: $0) } ?? first
            last[first] = number
            return number
        }
    }

    private mutating func next(after number: Int) -> Int {
        if let next = repeats[number] { return next }
        count += 1
        repeats[number] = count
        return count
    }
}
