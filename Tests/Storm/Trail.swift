import StorecastClient

/// What a mirror has shown of a list, to which its writer appends 0, 1, 2 …, each once, and which
/// it empties before every hundredth, so that documents stay small.
struct Trail {
    static let longest = 100

    /// One more than the highest number that it has shown.
    private var next = 0

    /// Takes the list's next value; returns what is wrong with it, or nil.
    ///
    /// - Parameters:
    ///   - acked: how many numbers are acked that this value has to contain.
    ///   - dispatched: how many its writer has dispatched.
    mutating func take(_ value: JSON?, acked: Int, dispatched: Int) -> String? {
        guard let list = value?.array else { return "isn't there" }
        let least = max(next, acked)
        guard let first = list.first else {
            // Emptied, and not appended to yet.
            let whole = (least + Self.longest - 1) / Self.longest * Self.longest
            return whole <= dispatched ? nil : "is empty after \(least) numbers"
        }
        guard let start = first.int, start >= 0, start % Self.longest == 0, start <= dispatched,
            list.count <= Self.longest, list.indices.allSatisfy({ list[$0].int == start + $0 })
        else { return "isn't every number once and in order: \(value ?? .null)" }
        let end = start + list.count
        guard end >= next else { return "went back from \(next) numbers to \(end)" }
        guard end >= acked else { return "has \(end) numbers, and \(acked) were acked" }
        guard end <= dispatched else { return "has \(end) numbers of \(dispatched)" }
        next = end
        return nil
    }

    /// What the list is after `count` numbers.
    static func list(after count: Int) -> JSON {
        let start = count == 0 ? 0 : (count - 1) / longest * longest
        return .array((start..<count).map { .int(Int64($0)) })
    }
}
