import StorecastRoom

/// What a room remembers of its clients: the simplest implementation, to compare with the real one.
struct NaiveLedger {
    struct Record {
        let client: String
        let horizon: UInt64
        var lastSeq: UInt64 = 0
        var lastReduced: UInt64 = 0
        var rejected: [UInt64] = []
    }

    enum Verdict {
        case fresh, duplicate, expired
    }

    private let window: UInt64
    private var records: [Record] = []
    private var horizon: UInt64 = 0
    /// All clients that were ever forgotten, or whose rejections were.
    private(set) var forgotten: Set<String> = []

    init(_ limits: SyncLimits) {
        window = UInt64(limits.window)
    }

    func verdict(on entry: JournalRecord) -> Verdict {
        let record = records.last { $0.client == entry.client }
        if let record, entry.seq <= record.lastSeq { return .duplicate }
        return entry.base < record?.horizon ?? horizon ? .expired : .fresh
    }

    mutating func settle(_ entry: JournalRecord, isReduced: Bool, at version: UInt64) {
        var record = Record(client: entry.client, horizon: horizon)
        if let place = records.lastIndex(where: { $0.client == entry.client }) {
            record = records.remove(at: place)
        }
        let known = max(entry.settled, entry.seq > window ? entry.seq - window : 0)
        record.lastSeq = entry.seq
        record.rejected.removeAll { $0 <= known }
        if isReduced { record.lastReduced = version } else { record.rejected.append(entry.seq) }
        records.append(record)
    }

    mutating func forget(_ action: ForgetClients) {
        for record in records {
            let mark = ClientLedger.mark(of: record.client)
            if action.clients.contains(mark) {
                horizon = max(horizon, record.lastReduced)
                records.removeAll { $0.client == record.client }
                forgotten.insert(record.client)
            } else if action.rejections.contains(mark) {
                forgotten.insert(record.client)
            }
        }
    }
}
