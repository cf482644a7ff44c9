import StorecastRoom
import StorecastWire

/// The newest dispatches of a room since somebody looks, as JSON once somebody asks.
struct DispatchLog {
    private enum Content {
        case entry(JournalEntry, Rejection?)
        case json(JSON)
    }

    private struct Item {
        var number: UInt64
        var version: UInt64
        var entry: JournalEntry
        var rejection: Rejection?
        var json: JSON?
    }

    static let capacity = 300
    /// What the entries may count as together, in bytes; one always may.
    static let mostBytes = 8 << 20

    private let type: String?
    private var items: [Item] = []
    private var bytes = 0

    /// - Parameter type: what an action's name has to contain; nil for every dispatch.
    init(type: String?) {
        self.type = type
    }

    mutating func append(
        _ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64, number: UInt64
    ) {
        guard matches(entry) else { return }
        items.append(
            Item(number: number, version: version, entry: entry, rejection: rejection))
        bytes += entry.size
        if items.count >= 2 * Self.capacity || bytes > Self.mostBytes { forgetOldest() }
    }

    private mutating func forgetOldest() {
        var count = 0
        while items.count - count > Self.capacity || bytes > Self.mostBytes, count + 1 < items.count
        {
            bytes -= items[count].entry.size
            count += 1
        }
        items.removeFirst(count)
    }

    private func matches(_ entry: JournalEntry) -> Bool {
        guard let type, !type.isEmpty else { return true }
        return entry.actions.contains { Swift.type(of: $0).wireName.contains(type) }
            || entry.refused?.type.contains(type) == true
    }

    /// The newest dispatches, oldest first.
    mutating func json() -> JSON {
        let first = max(0, items.count - Self.capacity)
        for place in items.indices[first...] where items[place].json == nil {
            items[place].json = Self.json(items[place], cutting: true)
        }
        return .array(items[first...].map { $0.json ?? .null })
    }

    /// One dispatch with its whole payloads; nil if it isn't there any more.
    func entry(_ number: UInt64) -> JSON? {
        items.last { $0.number == number }.map { Self.json($0, cutting: false) }
    }

    private static func json(_ item: Item, cutting: Bool) -> JSON {
        do {
            var logged = LoggedDispatch(try JournalRecord(item.entry), cutting: cutting)
            logged.number = item.number
            logged.version = item.version
            logged.rejection = item.rejection?.description
            return try JSONCoding.encodeTree(logged)
        } catch {
            return ["number": .uint(item.number), "problem": "It can't be encoded."]
        }
    }
}
