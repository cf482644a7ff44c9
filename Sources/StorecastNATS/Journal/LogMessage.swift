import StorecastRoom
import StorecastSync

/// A message of a room's log at JetStream: what was appended in a turn, or a mark.
///
/// All messages of a room have one subject. Each says in its headers where the log stands with it,
/// so that the last one alone tells all that a writer has to know.
struct LogMessage: Equatable, Sendable {
    enum Kind: String, Sendable {
        /// Entries, as JSON Lines; with those parts of them that stand directly before.
        case entries
        /// The beginning of entries that are too large for one message; nothing without their end,
        /// which says how many parts belong to it.
        case part
        /// A writer takes the room over: nobody else's messages follow.
        case term
        /// Older entries are forgotten.
        case floor
    }

    var kind: Kind
    /// Where the log stands with it.
    var state: LogState
    /// How many entries end with it.
    var count: Int
    /// Those that stand before it and belong to it.
    var parts: Parts?
    var payload: [UInt8]

    init(
        kind: Kind, state: LogState, count: Int = 0, parts: Parts? = nil, payload: [UInt8] = []
    ) {
        self.kind = kind
        self.state = state
        self.count = count
        self.parts = parts
        self.payload = payload
    }

    /// The parts of a message: the number of the first, and how many there are.
    struct Parts: Equatable, Sendable {
        var first: UInt64
        var count: Int
    }
}

/// Where a room's log stands.
struct LogState: Equatable, Sendable {
    /// The stream's number of the last message; 0 if there is none.
    var sequence: UInt64 = 0
    /// The id of the room's history.
    var epoch: String
    /// Who writes: the id of one taking over.
    var term: String
    /// The offset of the newest entry; 0 if there is none.
    var head: UInt64 = 0
    /// The offset of the newest entry that is forgotten; 0 if there is none.
    var floor: UInt64 = 0
    /// Of everything up to there, each message chained to those before it.
    var checksum: UInt64
    /// Whether not all of the room is there yet, as it is being imported: nobody opens it then.
    var isImport = false

    /// Of a room without messages.
    init(beginningOf room: String, epoch: String, term: String) {
        self.epoch = epoch
        self.term = term
        var hash = FNV1a()
        hash.add(room)
        checksum = hash.value
    }

    /// The same with one more message, which isn't numbered yet.
    func adding(_ kind: LogMessage.Kind, count: Int, _ payload: [UInt8]) -> LogState {
        var state = self
        var hash = FNV1a()
        hash.add(checksum)
        hash.add(kind.rawValue)
        hash.add(epoch)
        hash.add(term)
        hash.add(head)
        hash.add(floor)
        hash.add(UInt64(count))
        // Not if it isn't: messages from before there were imports keep their checksums.
        if isImport { hash.add("import") }
        hash.add(payload)
        state.checksum = hash.value
        return state
    }

    /// With the number that a message of so many entries got.
    func numbered(_ sequence: UInt64, count: Int) -> LogState {
        var state = self
        state.sequence = sequence
        if count > 0 { state.head = LogOffset(sequence, place: count).value }
        return state
    }
}

/// The offset of an entry: the number of the message that it ends with, and its place there from 1.
struct LogOffset: Equatable {
    let value: UInt64

    /// How many entries a message has at most. A stream has numbers for 2^37 messages, as offsets
    /// are below 2^53 in JSON.
    static let mostEntries = 1 << 16 - 1

    /// Of the snapshot with which an imported log begins: before every entry. It isn't 0, where
    /// servers keep what they themselves would begin with.
    static let ofBeginning = LogOffset(0, place: 1).value

    init(_ value: UInt64) { self.value = value }

    init(_ sequence: UInt64, place: Int) { value = sequence << 16 | UInt64(place) }

    var sequence: UInt64 { value >> 16 }
    var place: Int { Int(value & 0xFFFF) }
}

// MARK: Headers

extension LogMessage {
    private enum Header {
        static let kind = "Storecast-Kind"
        static let epoch = "Storecast-Epoch"
        static let term = "Storecast-Term"
        static let head = "Storecast-Head"
        static let floor = "Storecast-Floor"
        static let count = "Storecast-Count"
        static let checksum = "Storecast-Checksum"
        static let parts = "Storecast-Parts"
        static let first = "Storecast-First-Part"
        static let isImport = "Storecast-Import"
    }

    /// What the headers take, those of NATS included, at most.
    static let headBytes = 2 << 10

    /// What it says in its headers. The head is the one before it, as its own isn't known yet.
    var headers: NATSHeaders {
        var headers: NATSHeaders = [
            Header.kind: kind.rawValue, Header.epoch: state.epoch, Header.term: state.term,
            Header.head: "\(state.head)", Header.floor: "\(state.floor)",
            Header.count: "\(count)", Header.checksum: String(state.checksum, radix: 16),
        ]
        if let parts {
            headers.add(Header.parts, "\(parts.count)")
            headers.add(Header.first, "\(parts.first)")
        }
        if state.isImport { headers.add(Header.isImport, "1") }
        return headers
    }

    /// Throws ``JournalError/damaged(_:)`` if it isn't one.
    init(_ kept: JetStream.Kept) throws(JournalError) {
        let headers = kept.headers
        func number(_ name: String, radix: Int = 10) -> UInt64? {
            headers[name].flatMap { UInt64($0, radix: radix) }
        }
        guard let kind = headers[Header.kind].flatMap(Kind.init), let epoch = headers[Header.epoch],
            let term = headers[Header.term], let head = number(Header.head),
            let floor = number(Header.floor), let checksum = number(Header.checksum, radix: 16),
            let count = number(Header.count), count <= LogOffset.mostEntries,
            // So that `==` compares bytes.
            (epoch + term).utf8.allSatisfy({ $0 < 128 })
        else { throw .damaged("The message \(kept.sequence) of '\(kept.subject)' isn't ours.") }
        var state = LogState(beginningOf: "", epoch: epoch, term: term)
        (state.head, state.floor, state.checksum) = (head, floor, checksum)
        state.isImport = headers[Header.isImport] != nil
        var parts: Parts?
        if let count = number(Header.parts), let first = number(Header.first) {
            parts = Parts(first: first, count: Int(clamping: count))
        }
        self.init(
            kind: kind, state: state.numbered(kept.sequence, count: Int(count)), count: Int(count),
            parts: parts, payload: kept.payload)
    }
}

// MARK: Entries

extension LogMessage {
    /// Entries as they are kept.
    static func records(_ batch: [JournalEntry]) throws(JournalError) -> [JournalRecord] {
        var records: [JournalRecord] = []
        for (place, entry) in batch.enumerated() {
            do { records.append(try JournalRecord(entry)) } catch {
                throw .unfit(place: place, "\(error)")
            }
        }
        return records
    }

    /// Entries as the payload of a message; in it, they have their places as offsets.
    static func payload(_ batch: [JournalRecord]) throws(JournalError) -> [UInt8] {
        var bytes: [UInt8] = []
        for (place, record) in batch.enumerated() {
            do { bytes += try JournalLine.entry(offset: UInt64(place + 1), record).bytes() } catch {
                throw .unfit(place: place, "\(error)")
            }
        }
        return bytes
    }

    /// The entries that end with the message of this number.
    static func entries(
        _ payload: [UInt8], at sequence: UInt64
    ) throws(JournalError) -> [(offset: UInt64, record: JournalRecord)] {
        var entries: [(offset: UInt64, record: JournalRecord)] = []
        for text in payload.split(separator: UInt8(ascii: "\n")) {
            do throws(JournalLineError) {
                guard case .entry(let place, let record) = try JournalLine(text),
                    place == entries.count + 1
                else { throw JournalLineError("It isn't the next entry.") }
                entries.append((LogOffset(sequence, place: Int(place)).value, record))
            } catch {
                throw .damaged("The message \(sequence) can't be read: \(error)")
            }
        }
        return entries
    }
}
