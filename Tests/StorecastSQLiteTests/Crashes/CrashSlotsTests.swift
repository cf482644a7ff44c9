import Foundation
import StorecastRoom
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastSQLite

/// The file that tells after a crash what was being reduced, and what a server says of it.
@MainActor struct CrashSlotsTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("it's.sqlite")
    }

    // MARK: Slots

    private typealias Noted = (offset: UInt64, room: String, isNew: Bool)

    private func open(_ history: UInt64 = 7) throws -> ReducingFile {
        try ReducingFile(beside: path, of: StoreHistory(seed: history))
    }

    /// What a process finds that then ends while its loops reduce these.
    private func found(history: UInt64 = 7, leaving notes: [Noted] = []) throws -> [String] {
        let file = try open(history)
        for (offset, room, isNew) in notes { file.slot().note(offset, of: room, isNew: isNew) }
        return text(file)
    }

    private func text(_ file: ReducingFile) -> [String] {
        file.suspects.map { suspect in
            "\(suspect.room) \(suspect.offset) \(suspect.crashes) \(suspect.isNew ? "new" : "old")"
        }
    }

    @Test func `each loop has a slot of its own, behind those of the suspects`() throws {
        #expect(try found(leaving: [(2, "/a", true), (5, "/b", false)]) == [])
        #expect(try found(leaving: [(5, "/b", false)]) == ["/a 2 1 new", "/b 5 1 old"])
        #expect(try found() == ["/a 2 1 new", "/b 5 2 old"])
        // Nothing was noted: it isn't a crash at either.
        #expect(try found(leaving: [(1, "/c", true)]) == ["/a 2 1 new", "/b 5 2 old"])
        #expect(try found() == ["/a 2 1 new", "/b 5 2 old", "/c 1 1 new"])
    }

    @Test(
        arguments: [
            ((2, true), (2, true), "/a 2 2 new"), ((2, true), (2, false), "/a 2 2 new"),
            ((2, false), (2, true), "/a 2 2 new"), ((2, false), (2, false), "/a 2 2 old"),
            ((2, true), (3, false), "/a 3 1 new"), ((2, false), (3, false), "/a 3 1 old"),
            ((2, false), (3, true), "/a 3 1 new"), ((3, true), (2, false), "/a 2 1 old"),
            ((3, false), (2, true), "/a 2 1 new"),
        ] as [((UInt64, Bool), (UInt64, Bool), String)])
    func `a room has one suspect, the last, which nobody was told of if it was so before`(
        first: (UInt64, Bool), second: (UInt64, Bool), expected: String
    ) throws {
        _ = try found(leaving: [(first.0, "/a", first.1)])
        _ = try found(leaving: [(second.0, "/a", second.1)])
        #expect(try found() == [expected])
    }

    @Test func `what was reduced isn't suspected, and a slot takes the names of other rooms`()
        throws
    {
        do {
            let file = try open()
            let slot = file.slot()
            slot.note(1, of: "/a-long-name", isNew: true)
            slot.note(2, of: "/a-long-name", isNew: true)
            #expect(slot.offset == 2 && slot.room == "/a-long-name")
            slot.clear()
            #expect(slot.offset == 2)
        }
        #expect(try found() == [])
        do {
            let file = try open()
            let slot = file.slot()
            slot.note(1, of: "/a-long-name", isNew: true)
            slot.clear()
            slot.note(1, of: "/é", isNew: true)
            slot.clear()
            slot.note(3, of: "/é", isNew: false)
        }
        #expect(try found() == ["/é 3 1 old"])
    }

    @Test func `a suspect that is acquitted isn't one any more, and the others are`() throws {
        _ = try found(leaving: [(1, "/a", true), (1, "/b", true), (1, "/c", true)])
        do {
            let file = try open()
            var unknown = file.suspects[0]
            unknown.offset += 1
            file.acquit(unknown)
            file.acquit(file.suspects[1])
        }
        #expect(try found() == ["/a 1 1 new", "/c 1 1 new"])
    }

    @Test func `what was noted of another history is gone`() throws {
        _ = try found(leaving: [(1, "/a", true)])
        #expect(try found(history: 8) == [])
        #expect(try found() == [])
    }

    @Test func `the file is its owner's alone, goes in the end, and has to be made`() throws {
        let file = try open()
        #expect(try directory.permissions("it's.sqlite-reducing") == 0o600)
        file.remove()
        #expect(directory.names == [])
        let nowhere = directory.file("nowhere/rooms.sqlite")
        let error = #expect(throws: JournalError.self) {
            try ReducingFile(beside: nowhere, of: StoreHistory(seed: 7))
        }
        #expect(error?.text.hasPrefix("'\(nowhere)-reducing' can't be made: ") == true)
    }

    @Test func `the longest name of a room is kept whole, and a slot that is none is passed over`()
        throws
    {
        let name = "/" + String(repeating: "n", count: 4095)
        _ = try found(leaving: [(1, name, true)])
        let suspect: ReducingSlot.Note
        do {
            let file = try open()
            suspect = try #require(file.suspects.first)
        }
        #expect(suspect.room == name)
        let url = URL(filePath: path + "-reducing")
        let bytes = suspect.bytes(history: 7)
        #expect(bytes.count == ReducingSlot.size)
        /// How many are found in a file with these bytes.
        func count(after change: (inout [UInt8]) -> Void) throws -> Int {
            var changed = bytes
            change(&changed)
            try Data(changed).write(to: url)
            return try open().suspects.count
        }
        #expect(try count { _ in } == 1)
        // Of the name: as much as there is space for behind five numbers, and a byte more.
        let most = ReducingSlot.size - 40
        for (length, expected) in [(most, 1), (most + 1, 0)] {
            let number = withUnsafeBytes(of: UInt64(length)) { Array($0) }
            #expect(try count { $0.replaceSubrange(32..<40, with: number) } == expected)
        }
        let none = [UInt8](repeating: 0, count: 8)
        #expect(try count { $0.replaceSubrange(0..<8, with: none) } == 0)
        #expect(try count { $0.removeLast() } == 0)
    }

    // MARK: Reports

    /// A file with two rooms, whose entries have the offsets 1 to 3 and 4 to 6; its history.
    private func make() async throws -> UInt64 {
        let bench = try await bench()
        for room in ["/a", "/b"] { try await bench.append(JournalSample.notes(3), to: room) }
        await bench.close()
        let store = try SQLiteStore.openHere(path)
        let seed = store.history.seed
        await store.close()
        return seed
    }

    private func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
    }

    private func note(
        _ offset: UInt64, history: UInt64, crashes: Int, isNew: Bool = true
    ) throws {
        try ReducingText.load(
            """
            offset \(offset)
            history \(history)
            crashes \(crashes)
            new \(isNew ? 1 : 0)
            bytes 2
            room /a

            """, to: path + "-reducing")
    }

    private func reports(_ policy: CrashPolicy) async throws -> [String] {
        let store = try SQLiteStore.openHere(path, crashes: policy)
        let reports = store.reports
        await store.close()
        return reports
    }

    private nonisolated static let closed = """
        Mend the reducer, end the server with SIGTERM and start it again; or end it and have the \
        room go on without the action: storecast journal skip FILE --room '/a' --offset 2
        """

    @Test(
        arguments: [
            (.skip(), 1, true, "once", "When it was 3 times, the room goes on without it."),
            (
                .skip(), 2, false, "2 times in a row",
                "When it was 3 times, the room goes on without it."
            ), (.stop(), 1, true, "once", "When it was 3 times, the room stays closed."),
            (
                .stop(after: 5), 4, true, "4 times in a row",
                "When it was 5 times, the room stays closed."
            ),
            (
                .skip(), 3, true, "3 times in a row",
                "The room goes on WITHOUT this action, which counts as rejected for good."
            ),
            (
                .skip(after: 1), 1, true, "once",
                "The room goes on WITHOUT this action, which counts as rejected for good."
            ),
            (
                .skip(), 3, false, "3 times in a row",
                "The room isn't opened. Its sender may have been told that it was reduced. "
                    + Self.closed
            ),
            (.stop(), 3, true, "3 times in a row", "The room isn't opened. \(Self.closed)"),
            (.stop(), 4, false, "4 times in a row", "The room isn't opened. \(Self.closed)"),
        ] as [(CrashPolicy, Int, Bool, String, String)])
    func `a server says what it has done of an entry that ended it`(
        policy: CrashPolicy, crashes: Int, isNew: Bool, times: String, then: String
    ) async throws {
        try note(2, history: await make(), crashes: crashes, isNew: isNew)
        let file = "'" + StoreFile.canonicalPath(path).replacing("'", with: #"'\''"#) + "'"
        #expect(
            try await reports(policy) == [
                "The process ended \(times) while it reduced the entry at offset 2 (Note) of room "
                    + "'/a'. " + then.replacing("FILE", with: file)
            ])
    }

    @Test(arguments: [4, 9] as [UInt64])
    func `an entry that the room doesn't have isn't suspected`(offset: UInt64) async throws {
        try note(offset, history: await make(), crashes: 3)
        #expect(try await reports(.stop()) == [])
    }

    @Test func `entries before it, and those of other rooms, say nothing for a suspect`()
        async throws
    {
        try note(2, history: await make(), crashes: 1)
        let bench = try await bench()
        for (offset, room) in [(1, "/a"), (6, "/b")] as [(UInt64, String)] {
            bench.journal.reducing(offset, of: room, isNew: false)
            bench.journal.reduced()
        }
        let url = URL(filePath: path + "-reducing")
        let noted = try Data(contentsOf: url)
        await bench.close()
        try noted.write(to: url)
        let reports = try await reports(.skip())
        #expect(reports.count == 1 && reports.allSatisfy { $0.contains("ended once") })
    }
}
