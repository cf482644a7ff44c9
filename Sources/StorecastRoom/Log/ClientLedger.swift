package import StorecastSync
import StorecastWire

/// What a room remembers of its clients, so that no action is reduced twice.
///
/// A part of the room's state: a function of the log alone, the same on every machine that reads
/// it. It forgets nobody by itself: the room decides that, and tells the log (``ForgetClients``).
/// Every operation but that is O(1), beside the rejections of one client, at most a window of them.
package struct ClientLedger: Sendable {
    /// What is to be done with an entry.
    package enum Verdict: Equatable, Sendable {
        /// It is the first entry of its dispatch.
        case fresh
        /// Its dispatch is settled already.
        case duplicate
        /// Its client was forgotten since it made the action: nobody can tell.
        case expired
    }

    package struct Record: Sendable {
        /// The identity that the client id belongs to.
        package let identity: String
        /// The dispatch that the record begins with: what became of earlier ones isn't known.
        package fileprivate(set) var first: UInt64
        package fileprivate(set) var lastSeq: UInt64 = 0
        /// The final rejections that the client may not know of, in ascending order.
        package fileprivate(set) var rejections: [(seq: UInt64, rejection: Rejection)] = []
        /// The version that the client's newest reduced action led to.
        package fileprivate(set) var lastReduced: UInt64 = 0
        /// The horizon when the record was made: what the client had reduced before isn't known.
        package let horizon: UInt64

        package init(
            identity: String, first: UInt64, lastSeq: UInt64 = 0,
            rejections: [(seq: UInt64, rejection: Rejection)] = [], lastReduced: UInt64 = 0,
            horizon: UInt64
        ) {
            self.identity = identity
            self.first = first
            self.lastSeq = lastSeq
            self.rejections = rejections
            self.lastReduced = lastReduced
            self.horizon = horizon
        }
    }

    /// A record and its neighbours in the order in which clients were last seen.
    struct Slot: Sendable {
        var client: String
        var record: Record
        var older: Int?
        var newer: Int?
    }

    private let window: UInt64
    /// How many rejections of all clients are kept.
    private(set) var rejectionCount = 0
    /// A client that is forgotten leaves its place to one that comes.
    private(set) var slots: [Slot] = []
    private var freePlaces: [Int] = []
    private var places: [ExactString: Int] = [:]
    private(set) var oldest: Int?
    private var newest: Int?
    /// The newest version that an action of a forgotten client led to.
    private(set) var horizon: UInt64 = 0

    /// - Parameter window: how many dispatches of one client may be without an outcome.
    package init(window: Int) {
        self.window = UInt64(window)
    }

    package subscript(client client: String) -> Record? {
        places[ExactString(client)].map { slots[$0].record }
    }

    package var count: Int { places.count }

    package func verdict(on entry: JournalEntry) -> Verdict {
        verdict(on: entry, at: places[ExactString(entry.client)])
    }

    /// What is to be done with an entry, and where its client's record is; nil if there is none.
    ///
    /// Mutating only so that the ledger of a log needn't be copied to be asked.
    mutating func examine(_ entry: JournalEntry) -> (Verdict, place: Int?) {
        let place = places[ExactString(entry.client)]
        return (verdict(on: entry, at: place), place)
    }

    private func verdict(on entry: JournalEntry, at place: Int?) -> Verdict {
        if let place, entry.seq <= slots[place].record.lastSeq { return .duplicate }
        // An action that led to a version was made before it. So what a forgotten client had
        // reduced was made before the horizon, and a new client's first action wasn't. A record
        // that is made anew doesn't bring back what was forgotten.
        let horizon = place.map { slots[$0].record.horizon } ?? horizon
        return entry.base < horizon ? .expired : .fresh
    }

    /// Notes the outcome of a fresh or expired entry, as of `version`.
    ///
    /// - Parameter found: where its client's record was before the entry took effect, if that is
    ///   known; the entry may have forgotten the client.
    package mutating func settle(
        _ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64, _ found: Int? = nil
    ) {
        let place: Int
        if let found, slots[found].client.isSameText(as: entry.client) {
            place = found
        } else {
            place =
                places[ExactString(entry.client)]
                ?? insert(
                    entry.client,
                    Record(identity: entry.sender.id, first: entry.seq, horizon: horizon))
        }
        moveToNewest(place)
        rejectionCount -= slots[place].record.rejections.count
        slots[place].record.note(entry, rejection, at: version, window: window)
        rejectionCount += slots[place].record.rejections.count
    }

    /// Forgets what the log says is forgotten. O(clients).
    mutating func forget(_ forgotten: ForgetClients) {
        let clients = ClientMarks(forgotten.clients)
        let rejections = ClientMarks(forgotten.rejections)
        var next = oldest
        while let place = next {
            next = slots[place].newer
            let client = slots[place].client
            if clients.contains(client) {
                forgetClient(at: place)
            } else if rejections.contains(client) {
                forgetRejections(at: place)
            }
        }
    }

    private mutating func insert(_ client: String, _ record: Record) -> Int {
        let slot = Slot(client: client, record: record)
        let place: Int
        if let free = freePlaces.popLast() {
            place = free
            slots[place] = slot
        } else {
            place = slots.count
            slots.append(slot)
        }
        places[ExactString(client)] = place
        attach(place)
        return place
    }

    private mutating func forgetClient(at place: Int) {
        horizon = max(horizon, slots[place].record.lastReduced)
        forgetRejections(at: place)
        detach(place)
        places[ExactString(slots[place].client)] = nil
        slots[place].client = ""
        freePlaces.append(place)
    }

    /// Nobody can tell any more which of the client's dispatches were rejected.
    private mutating func forgetRejections(at place: Int) {
        rejectionCount -= slots[place].record.rejections.count
        slots[place].record.rejections = []
        slots[place].record.first = slots[place].record.lastSeq + 1
    }

    private mutating func moveToNewest(_ place: Int) {
        guard newest != place else { return }
        detach(place)
        attach(place)
    }

    private mutating func detach(_ place: Int) {
        let (older, newer) = (slots[place].older, slots[place].newer)
        if let older { slots[older].newer = newer } else { oldest = newer }
        if let newer { slots[newer].older = older } else { newest = older }
    }

    private mutating func attach(_ place: Int) {
        slots[place].older = newest
        slots[place].newer = nil
        if let newest { slots[newest].newer = place } else { oldest = place }
        newest = place
    }
}

extension ClientLedger {
    /// What is remembered, the client that was seen last at the end. O(n).
    var records: [(client: String, record: Record)] {
        var records: [(client: String, record: Record)] = []
        records.reserveCapacity(count)
        var next = oldest
        while let place = next {
            records.append((slots[place].client, slots[place].record))
            next = slots[place].newer
        }
        return records
    }

    /// A ledger with what another one remembered, the client that was seen last at the end.
    init(window: Int, horizon: UInt64, _ records: [(client: String, record: Record)]) {
        self.init(window: window)
        self.horizon = horizon
        for (client, record) in records {
            _ = insert(client, record)
            rejectionCount += record.rejections.count
        }
    }
}

extension ClientLedger.Record {
    /// What a client that knows its outcomes up to `settled` is told to be rejected.
    ///
    /// Of what it had open when it was forgotten, or its rejections were, nobody can tell.
    package func rejections(since settled: UInt64, window: Int) -> [ServerFrame.Reject] {
        let oldest = first > UInt64(window) ? first - UInt64(window) : 1
        let unknown = (min(max(settled + 1, oldest), first)..<first).map {
            ServerFrame.Reject(.forgotten, seq: $0)
        }
        return unknown
            + rejections.filter { $0.seq > settled }
            .map { ServerFrame.Reject($0.rejection, seq: $0.seq) }
    }

    fileprivate mutating func note(
        _ entry: JournalEntry, _ rejection: Rejection?, at version: UInt64, window: UInt64
    ) {
        lastSeq = entry.seq
        if rejection == nil { lastReduced = version }
        if !rejections.isEmpty {
            // A client knows the outcome of all but a window of its dispatches.
            let known = max(entry.settled, entry.seq > window ? entry.seq - window : 0)
            rejections.removeFirst(rejections.prefix { $0.seq <= known }.count)
        }
        if let rejection { rejections.append((entry.seq, rejection)) }
    }
}

extension ServerFrame.Reject {
    init(_ rejection: Rejection, seq: UInt64) {
        self.init(
            seq: seq, code: rejection.code.description, title: rejection.title,
            detail: rejection.detail, retryable: rejection.retryable,
            retryAfter: rejection.retryAfter.map { $0 / .seconds(1) })
    }
}
