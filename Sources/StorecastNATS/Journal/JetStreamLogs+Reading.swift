package import StorecastRoom
import StorecastWire

extension JetStreamLogs {
    /// The next entries of a room, some of them.
    package func page(
        of room: String, from start: LogPlace
    ) async throws(JournalError) -> PagedTail<LogPlace>.Page {
        let log = log(of: room)
        var place = start
        if place.goal == nil { try await begin(&place, log) }
        let page: (messages: [JetStream.Kept], hasMore: Bool)
        do throws(NATSError) {
            page = try await jetStream.page(of: log.subject, in: log.stream, from: place.next)
        } catch {
            throw .unavailable(error.description)
        }
        var entries: [(offset: UInt64, record: JournalRecord)] = []
        var terms: [(id: String, place: Int)] = []
        do throws(JournalError) {
            for kept in page.messages {
                let message = try LogMessage(kept)
                if let first = place.missingPart(of: message) {
                    place.next = first
                    return PagedTail.Page(entries: entries, end: place, isLast: false)
                }
                if place.last?.term != message.state.term {
                    terms.append((message.state.term, entries.count))
                }
                try place.take(message, &entries)
            }
        } catch {
            return try await again(start, log, because: error)
        }
        if !page.messages.isEmpty { place.retries = 0 }
        var read = PagedTail.Page(entries: entries, terms: terms, end: place, isLast: false)
        if page.hasMore { return read }
        if place.next > place.goal ?? 0 {
            read.isLast = true
            return read
        }
        // A server of the stream answered that doesn't have everything yet.
        guard place.retries < Self.mostWaits else {
            throw .unavailable("NATS doesn't have what the log of '\(room)' ended with.")
        }
        place.retries += 1
        if page.messages.isEmpty { await jetStream.pause(Self.pause) }
        read.end = place
        return read
    }

    /// Finds out where the log ends, which whoever reads has to reach.
    private func begin(_ place: inout LogPlace, _ log: Log) async throws(JournalError) {
        let end = try await end(of: log)
        // A server that was the leader may answer that isn't any more.
        let own = log.role == .writer ? log.state : nil
        place.goal = max(end?.sequence ?? 0, own?.sequence ?? 0)
        let floor = max(end?.floor ?? 0, own?.floor ?? 0)
        guard place.offset >= floor else { throw .truncated(below: floor + 1) }
        // Nothing stands before it: it is what the first message is chained to.
        if LogOffset(place.offset).sequence == 0 {
            place.last = beginning(of: log)
            place.last?.head = place.offset
        }
    }

    /// What came doesn't follow what was read: something was forgotten meanwhile, or the answer was
    /// cut; or the log is damaged.
    private func again(
        _ start: LogPlace, _ log: Log, because error: JournalError
    ) async throws(JournalError) -> PagedTail<LogPlace>.Page {
        let floor = try await end(of: log)?.floor ?? 0
        let read = max(start.offset, start.last?.head ?? 0)
        if floor > read { throw .truncated(below: floor + 1) }
        guard start.retries < 2 else { throw error }
        var place = start
        place.retries += 1
        await jetStream.pause(Self.pause)
        return PagedTail.Page(entries: [], end: place, isLast: false)
    }
}

/// Where a reader of a log is.
package struct LogPlace: Sendable {
    /// Entries up to this offset aren't wanted.
    var offset: UInt64
    /// The number from which on is read.
    var next: UInt64
    /// The last message that was read, or the beginning of the log; nil before the first.
    var last: LogState?
    /// Parts that wait for their end.
    var parts: [[UInt8]] = []
    /// The end that the log had at least when the reader began.
    var goal: UInt64?
    /// How often nothing came of it, one after the other.
    var retries = 0

    package init(after offset: UInt64) {
        self.offset = offset
        next = max(1, LogOffset(offset).sequence)
    }

    /// Where to begin to read if a message that is the first can't be understood without its parts.
    func missingPart(of message: LogMessage) -> UInt64? {
        guard let needed = message.parts, needed.count > parts.count, last == nil,
            message.state.head > offset
        else { return nil }
        return needed.first
    }

    /// Takes the next message; adds the entries that end with it.
    mutating func take(
        _ message: LogMessage, _ entries: inout [(offset: UInt64, record: JournalRecord)]
    ) throws(JournalError) {
        let state = message.state
        if let last {
            var before = state
            (before.checksum, before.head) = (last.checksum, last.head)
            let expected = before.adding(message.kind, count: message.count, message.payload)
            guard expected.checksum == state.checksum else {
                throw .damaged(
                    "The message \(state.sequence) isn't what was written, or not what was written "
                        + "behind the message \(last.sequence).")
            }
        } else if state.sequence > max(next, LogOffset(offset).sequence) {
            // The one with the offset is there as long as what is behind it.
            throw .damaged("The message \(next) isn't there any more.")
        }
        (last, next) = (state, state.sequence + 1)
        switch message.kind {
        case .part: parts.append(message.payload)
        case .term, .floor: parts = []
        case .entries:
            let needed = message.parts?.count ?? 0
            defer { parts = [] }
            if state.head <= offset { return }
            guard parts.count >= needed else {
                throw .damaged("The message \(state.sequence) lacks parts.")
            }
            let all = try LogMessage.entries(
                Array(parts.suffix(needed).joined()) + message.payload, at: state.sequence)
            guard all.count == message.count else {
                throw .damaged("The message \(state.sequence) lacks entries.")
            }
            entries += all.filter { $0.offset > offset }
        }
    }
}
