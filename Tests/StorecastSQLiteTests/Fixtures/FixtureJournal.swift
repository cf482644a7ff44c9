import Foundation
import StorecastTesting
import TestSupport
@testable import StorecastSQLite

/// A journal's file with something of everything, always the same.
@MainActor struct FixtureJournal {
    nonisolated static let history: UInt64 = 0x5EED
    /// A room of ``Count``; its entries up to offset 3 are no longer kept.
    static let counted = "/"
    /// The room whose second entry was skipped, in files of version 2.
    static let skipped = "/skipped"

    /// The rooms, in the order in which they were written, with their entries.
    static let rooms: [(name: String, entries: [JournalEntry])] = {
        var rooms = [(counted, (1...5).map { JournalSample.entry($0, [Count.Add()]) } + [refused])]
        for (index, name) in JournalSample.lookAlikes.enumerated() {
            rooms.append((name, JournalSample.notes(UInt64(index) + 1)))
        }
        return rooms + [("/strange", strange), (skipped, JournalSample.notes(3))]
    }()

    private static let refused = JournalEntry(
        client: "c", seq: 6, base: 5, settled: 0, sender: Identity("eve"),
        time: Timestamp(secondsSince1970: 1_000_006.25), seed: 5, actions: [],
        rejection: Rejection(.unknownAction, "No."),
        refused: RefusedAction(type: "Nonsense", beginning: #"{"a":"#, bytes: 5))

    private static let strange: [JournalEntry] = [
        JournalEntry(
            client: "c", seq: 1, base: 0, settled: 0, sender: .anonymous,
            time: Timestamp(secondsSince1970: 0), seed: 0, actions: [], rejection: nil),
        JournalEntry(
            client: "c", seq: 1 << 53 - 1, base: 1 << 53 - 1, settled: 1 << 53 - 1,
            sender: Identity("NUL \u{0} and\nlines", roles: ["b", "a", "", "\"\u{1F980}\""]),
            time: Timestamp(secondsSince1970: -1.5), seed: .max,
            actions: ["", "\u{0} \" \\ ü \u{1F980}", "third"].map(JournalSample.Note.init(text:)),
            rejection: nil, schema: 3),
        JournalEntry(
            client: "c", seq: 3, base: 7, settled: 2, sender: Identity("e\u{301}"),
            time: Timestamp(secondsSince1970: 1_763_726_400.5), seed: 1 << 63, actions: [],
            rejection: Rejection(.conflict, "No.", detail: "Not \u{0} that.")),
        JournalEntry(
            client: "c", seq: 4, base: 7, settled: 2, sender: Identity("ada", roles: ["writer"]),
            time: Timestamp(secondsSince1970: 6), seed: 6,
            actions: [JournalSample.Note(text: "kept, not reduced")],
            rejection: Rejection(.internal, "No.")),
    ]

    /// The snapshots of the counted room: before its first entry, and after its third.
    static func snapshots() throws -> [JournalSnapshot] {
        let replay = RoomReplay(Count.room)
        var snapshots = [try replay.keptSnapshot()]
        for (index, entry) in rooms[0].entries.prefix(3).enumerated() {
            try replay.reduce(try JournalRecord(entry), at: UInt64(index) + 1)
        }
        snapshots.append(try replay.keptSnapshot())
        return snapshots
    }

    /// What the third crash in a row at the second entry of ``skipped`` writes.
    static let skipRejection = Rejection(
        .internal, "The server failed to reduce the action.",
        detail: "It ended 3 times in a row while it tried.")

    let path: String

    /// Writes it, as version 1.
    init(at path: String) async throws {
        self.path = path
        let bench = try await bench()
        for snapshot in try Self.snapshots().prefix(1) {
            try await bench.save(snapshot, of: Self.counted)
        }
        for (name, entries) in Self.rooms {
            for entry in entries { try await bench.append([entry], to: name) }
        }
        for snapshot in try Self.snapshots().dropFirst() {
            try await bench.save(snapshot, of: Self.counted)
        }
        try await bench.truncate(Self.counted, through: 3)
        await bench.close()
    }

    /// Has the process end while it reduces an entry; the note of that is left.
    func crash(at offset: UInt64, of room: String) async throws {
        let bench = try await bench()
        bench.journal.reducing(offset, of: room, isNew: true)
        let url = URL(filePath: path + "-reducing")
        let note = try Data(contentsOf: url)
        await bench.close()
        try note.write(to: url)
    }

    /// Ends what crashes began.
    func end() async throws { try await bench().close() }

    private func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try SQLiteStore.openHere(path, boot: "fixture", history: Self.history)
        }
    }
}
