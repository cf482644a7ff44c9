package import StorecastRoom
import StorecastSync

/// Writes rooms to JetStream, from the lines of their journals' texts. No server opens one of them
/// before all of them are there.
package struct RoomImport {
    /// The room whose lines come.
    private struct Room {
        var name: String
        var epoch: String
        var isBegun = false
        /// The offset of its newest entry at JetStream.
        var head: UInt64 = 0
    }

    /// How many entries, and bytes of them, are written at once, about: they fit into one message,
    /// unless a single one doesn't.
    private static let mostEntries = 1_000
    private static let mostBytes = 256 << 10
    /// Requests to NATS have 4 KiB for a subject and what is beside it.
    private static let longestSubject = 3 << 10

    private let destination: JetStreamRooms
    private let keepsEpochs: Bool
    private var room: Room?
    private var batch: [JournalRecord] = []
    private var batchBytes = 0
    /// Those that are begun, and may not be opened yet.
    private var begun: ArraySlice<String> = []
    /// How many may be opened.
    package private(set) var rooms = 0
    /// How many entries were taken.
    package private(set) var entries = 0

    /// - Parameter keepsEpochs: whether clients go on as if nothing had been; else each room gets a
    ///   new epoch.
    package init(to destination: JetStreamRooms, keepsEpochs: Bool) {
        self.destination = destination
        self.keepsEpochs = keepsEpochs
    }

    /// Whether JetStream has a room, all of it.
    package func isThere(_ room: String) async throws(JournalError) -> Bool {
        let end = try await destination.logs.end(of: room)
        return end?.isImport == false
    }

    /// Takes the next line; a header begins another room, which JetStream must not have.
    package mutating func take(_ line: JournalLine) async throws(JournalError) {
        switch line {
        case .header(let name, let epoch):
            try await endRoom()
            room = Room(name: name, epoch: epoch)
        case .entry(let offset, let record):
            try await begin(isCut: false)
            batchBytes += try Self.size(of: line, at: offset)
            batch.append(record)
            entries += 1
            if batch.count >= Self.mostEntries || batchBytes >= Self.mostBytes {
                try await flush()
            }
        case .snapshot(let snapshot):
            try await begin(isCut: true)
            try await flush()
            try await save(snapshot)
        }
    }

    /// There are no more lines: from now on servers open the rooms.
    package mutating func finish() async throws(JournalError) {
        try await endRoom()
        while let name = begun.first {
            try await destination.logs.endImport(of: name)
            begun.removeFirst()
            rooms += 1
        }
    }

    /// Removes what was written of rooms that aren't to be opened yet, as the import is given up.
    ///
    /// - Returns: those of which something is left: nobody opens them until they are imported.
    package mutating func discard() async -> [String] {
        var left: [String] = []
        for name in begun {
            do throws(JournalError) {
                guard await destination.logs.isImporting(name) else {
                    left.append(name)
                    continue
                }
                // While nobody can open it.
                let number = try await destination.snapshots.lastNumber(of: name)
                try await destination.logs.fenceImport(of: name)
                try await destination.snapshots.forgetAll(of: name, through: number)
                try await destination.logs.discardImport(of: name)
            } catch {
                left.append(name)
            }
        }
        begun = []
        return left
    }

    // MARK: One room

    /// - Parameter isCut: whether what it begins with is a snapshot.
    private mutating func begin(isCut: Bool) async throws(JournalError) {
        guard let room else { preconditionFailure("A journal's text begins with its header.") }
        guard !room.isBegun else { return }
        let epoch = keepsEpochs ? room.epoch : nil
        try check(room.name, epoch)
        let left = try await destination.snapshots.lastNumber(of: room.name)
        do throws(JournalError) {
            try await destination.logs.beginImport(of: room.name, epoch: epoch, isCut: isCut)
        } catch {
            if case .unknownOutcome = error { begun.append(room.name) }
            throw error
        }
        begun.append(room.name)
        self.room?.isBegun = true
        if isCut { self.room?.head = LogOffset.ofBeginning }
        // What another import has left.
        try await destination.logs.clearImport(of: room.name)
        try await destination.snapshots.forgetAll(of: room.name, through: left)
    }

    private func check(_ name: String, _ epoch: String?) throws(JournalError) {
        let size = destination.logs.layout.subject(of: name).utf8.count
        guard !name.isEmpty, size <= Self.longestSubject else {
            throw .unfit(place: 0, "NATS can't have a room with the name '\(name.excerpt())'.")
        }
        // It becomes a header.
        let isFit = epoch?.utf8.allSatisfy { (33...126).contains($0) } ?? true
        guard isFit, (1...64).contains(epoch?.utf8.count ?? 1) else {
            throw .unfit(
                place: 0, "The epoch of the room '\(name)' is none of ours: give it a new one.")
        }
    }

    private mutating func endRoom() async throws(JournalError) {
        guard room != nil else { return }
        try await begin(isCut: false)
        try await flush()
        room = nil
    }

    private mutating func flush() async throws(JournalError) {
        guard !batch.isEmpty, let name = room?.name else { return }
        let head = try await destination.logs.append(records: batch, to: name)
        room?.head = head
        batch = []
        batchBytes = 0
    }

    /// A snapshot stands behind the entry that was taken last.
    private func save(_ snapshot: JournalSnapshot) async throws(JournalError) {
        guard let room else { return }
        try await destination.snapshots.save(
            of: room.name, offset: room.head, version: snapshot.version,
            content: { snapshot.content }
        ) { body throws(JournalError) in
            try await destination.logs.whileWriting(room.name, since: nil, body)
        }
    }

    /// The size of an entry's text. Throws if it couldn't be read again: a file may have anything.
    private static func size(
        of line: JournalLine, at offset: UInt64
    ) throws(JournalError) -> Int {
        do {
            let text = try line.bytes()
            _ = try JournalLine(text.dropLast())
            return text.count
        } catch {
            throw .unfit(place: 0, "The entry at offset \(offset) can't be kept: \(error)")
        }
    }
}
