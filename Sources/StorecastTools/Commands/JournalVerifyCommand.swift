import ArgumentParser
import StorecastSQLite
import StorecastRoom

/// `storecast journal verify`
struct JournalVerifyCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Check a journal's file: that it is what was written, and leads to the same states.",
        discussion: """
            Every entry and every snapshot is read and compared with its checksum. Where it is known \
            what the actions do, everything is reduced again, twice side by side, and compared with \
            the snapshots; what differs is told with the first action behind which it does.

              storecast journal verify board.sqlite

            Exit status: 0 if everything is right; 1 if something isn't; 2 if the file can't be read.
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Only this room; by default all.", valueName: "path"))
    var room: String?

    func run(writingTo write: (String) -> Void) throws {
        let file = try JournalFile.opened(file)
        defer { file.close() }
        let rooms = try file.rooms().filter { room?.isSameText(as: $0.name) ?? true }
        if let room, rooms.isEmpty {
            throw CommandFailure(.trouble, "There is no room '\(room)' in '\(file.path)'.")
        }
        let total = rooms.reduce(0) { $0 + $1.entries }
        let bar = ProgressBar("verifying")
        var (done, failed) = (0, 0)
        for room in rooms {
            var inspection = RoomInspection(RecordedRoom(of: file, room))
            try inspection.run {
                done += 1
                bar.show(Double(done) / Double(total))
            }
            bar.end()
            for line in inspection.report { write(line) }
            if !inspection.isGood { failed += 1 }
        }
        guard failed > 0 else { return }
        throw CommandFailure(
            .refused,
            "Something is wrong with \(failed) of \(rooms.count.counting("room", "rooms")).")
    }
}

/// Checks all of a recorded room: whether it is what was written, and whether reducing it again
/// leads to the same states.
struct RoomInspection {
    /// What is known of the states.
    private enum States {
        /// The history begins at a snapshot, and no good one was found yet.
        case awaitingSnapshot(any AnyJournalVerification)
        case reducing(any AnyJournalVerification)
        /// Nothing any more, with the reason.
        case unknown(String)
    }

    /// How many damaged places are named.
    private static let namedProblems = 20

    private let room: RecordedRoom
    private var states: States
    private var snapshots: ArraySlice<(offset: UInt64, version: UInt64, bytes: Int)> = []
    private var entries = 0
    private var goodSnapshots = 0
    /// How many entries came behind the last snapshot that was compared.
    private var uncompared = 0
    private var problems: [String] = []
    private var problemCount = 0
    private var skipped: [String] = []

    init(_ room: RecordedRoom) {
        self.room = room
        do {
            let verification = try room.definition().verification(KnownRooms.current.limits)
            states = room.room.floor > 0 ? .awaitingSnapshot(verification) : .reducing(verification)
        } catch {
            states = .unknown("\(CommandFailure(error))")
        }
    }

    /// Whether no problem was found.
    var isGood: Bool { problemCount == 0 }

    /// Reads it all; `advance` is called at every entry.
    mutating func run(advance: () -> Void) throws {
        snapshots = try room.file.snapshots(of: room.name)[...]
        var reader = EntryReader(room, after: room.room.floor)
        while let entry = try reader.next() {
            try checkSnapshots(before: entry.offset)
            check(entry)
            advance()
        }
        try checkSnapshots(before: .max)
        verify { try $0.finish() }
    }

    /// One line for the result, and one for each problem.
    var report: [String] {
        let unnamed = problemCount - problems.count
        let counts =
            entries.counting("entry", "entries") + " and "
            + goodSnapshots.counting("snapshot", "snapshots")
        return ["\(room.name.onOneLine): \(counts) are what was written. \(conclusion)"]
            + skipped.map { "  \($0)" } + problems.map { "  \($0)" }
            + (unnamed > 0 ? ["  … and \(unnamed.counting("problem", "problems")) more"] : [])
    }

    private var conclusion: String {
        switch states {
        case .reducing(let verification) where verification.divergence == nil:
            let same = "Reduced again, they lead to the same states"
            if uncompared == 0 { return "\(same)." }
            let last = uncompared == 1 ? "last entry" : "last \(uncompared) entries"
            return "\(same) as far as snapshots tell them: not for the \(last)."
        case .reducing: return "Reduced again, they lead to other states."
        case .awaitingSnapshot:
            return "The states aren't known, as no good snapshot stands where the history begins."
        case .unknown(let reason): return reason
        }
    }

    private mutating func check(_ entry: JournalFileEntry) {
        guard entry.isIntact, let record = entry.record else {
            note(
                "The entry at offset \(entry.offset) isn't what was written, or not behind what was "
                    + "written before it.")
            verify { try $0.finish() }
            if case .unknown = states { return }
            return states = .unknown("From there on the states aren't known.")
        }
        entries += 1
        uncompared += 1
        if entry.isSkipped { noteSkipped(entry.offset, record) }
        TrapNotice.reducing(entry.offset, of: room.name)
        verify { try $0.add(record, at: entry.offset) }
        TrapNotice.done()
    }

    private mutating func checkSnapshots(before offset: UInt64) throws {
        while let listed = snapshots.first, listed.offset < offset {
            snapshots.removeFirst()
            guard let kept = try room.snapshot(at: listed.offset) else {
                note("The snapshot at offset \(listed.offset) isn't what was written.")
                continue
            }
            goodSnapshots += 1
            if case .awaitingSnapshot(let verification) = states {
                states = .reducing(verification)
            }
            verify { try $0.check(kept) }
            uncompared = 0
        }
    }

    /// Runs a step of the verification, which ends with the first difference.
    private mutating func verify(_ step: (any AnyJournalVerification) throws -> Void) {
        guard case .reducing(let verification) = states, verification.divergence == nil else {
            return
        }
        do {
            try step(verification)
            if let divergence = verification.divergence { note("\(divergence)") }
        } catch {
            note("\(CommandFailure(error))")
            states = .unknown("From there on the states aren't known.")
        }
    }

    private mutating func noteSkipped(_ offset: UInt64, _ record: JournalRecord) {
        guard skipped.count < Self.namedProblems else { return }
        let types = record.actions.map { $0.type.excerpt() }.joined(separator: ", ")
        let reason = record.rejection.map { " \($0)" } ?? ""
        skipped.append("The entry at offset \(offset) (\(types)) is skipped.\(reason)".onOneLine)
    }

    private mutating func note(_ problem: String) {
        problemCount += 1
        if problems.count < Self.namedProblems { problems.append(problem.onOneLine) }
    }
}
