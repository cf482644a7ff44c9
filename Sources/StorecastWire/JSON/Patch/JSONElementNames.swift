/// Numbers for the elements of two arrays: equal where the elements are the same thing.
///
/// The same thing is what has the same `id`, if every element is an object with a scalar `id` of
/// its own; else what is equal, the first with the first, the second with the second and so on.
/// Either way no number comes twice in one array.
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
