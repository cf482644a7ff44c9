import StorecastRoom
import StorecastSync
import StorecastWire

/// The newest dispatches of a room since somebody began to look, encoded when they are asked for.
struct DispatchLog {
    private struct Item {
        var number: UInt64
        var version: UInt64
        var entry: JournalEntry
        var rejection: Rejection?
        var json: JSON?
    }

    private static let capacity = 300
    /// How large the entries may be together; the newest is kept in any case.
    private static let maxBytes = 8 << 20

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
        if items.count >= 2 * Self.capacity || bytes > Self.maxBytes { forgetOldest() }
    }

    private mutating func forgetOldest() {
        var count = 0
        while items.count - count > Self.capacity || bytes > Self.maxBytes, count + 1 < items.count
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
        for index in items.indices[first...] where items[index].json == nil {
            items[index].json = Self.json(items[index], cutting: true)
        }
        return .array(items[first...].map { $0.json ?? .null })
    }

    /// A dispatch with its whole payloads; nil if it isn't there any more.
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

/// A dispatch as the devtools show it.
struct LoggedDispatch: Encodable {
    struct LoggedAction: Encodable {
        var type: String
        /// Nil if it is too long to be shown with others.
        var payload: JSON?
        /// The beginning of a payload that is too long.
        var excerpt: String?
        /// The size of the payload's text.
        var bytes: Int
    }

    private static let maxPayloadBytes = 1024
    private static let maxExcerptBytes = 240

    /// Its number in a live log.
    var number: UInt64?
    /// Its place in the journal, where that is known.
    var offset: UInt64?
    /// The room's version after it.
    var version: UInt64 = 0
    /// Seconds since 1970.
    var time: Double
    var user: String
    var participant: String
    var seq: UInt64
    var actions: [LoggedAction]
    var rejection: String?

    init(_ record: JournalRecord, cutting: Bool) {
        time = record.time.secondsSince1970
        user = record.sender.id
        participant = participantID(of: record.client)
        seq = record.seq
        rejection = record.rejection?.description
        actions = record.actions.map { action in
            let bytes = action.payload.count
            guard !cutting || bytes <= Self.maxPayloadBytes else {
                let excerpt = String(
                    decoding: action.payload.prefix(Self.maxExcerptBytes), as: UTF8.self)
                return LoggedAction(type: action.type, excerpt: excerpt, bytes: bytes)
            }
            let document = try? JSONDocument(action.payload, limits: .trusted)
            return LoggedAction(
                type: action.type, payload: document?.root.json ?? .null, bytes: bytes)
        }
        if let refused = record.refused { actions.append(LoggedAction(refused)) }
    }
}

extension LoggedDispatch.LoggedAction {
    /// What a client sent that isn't an action of the room.
    fileprivate init(_ refused: RefusedAction) {
        type = refused.type
        bytes = refused.bytes
        payload = nil
        excerpt = refused.summary
    }
}
