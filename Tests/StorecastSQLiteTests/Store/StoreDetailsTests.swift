import Foundation
import GRDB
import StorecastRoom
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastSQLite

/// What the parts of a file's store decide: errors, names, bounds, and what lies beside it.
struct StoreDetailsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    // MARK: Errors

    private func unavailable(_ error: JournalError) -> Bool? {
        switch error {
        case .unavailable: true
        case .unknownOutcome: false
        default: nil
        }
    }

    @Test(
        arguments: [
            (ResultCode.SQLITE_FULL.rawValue, true, "The disk is full."),
            (ResultCode.SQLITE_BUSY.rawValue, true, "keeps the file locked"),
            (ResultCode.SQLITE_LOCKED.rawValue, true, "keeps the file locked"),
            (ResultCode.SQLITE_READONLY.rawValue, true, "The file can't be written."),
            (ResultCode.SQLITE_IOERR_WRITE.rawValue, true, "The disk failed."),
            (ResultCode.SQLITE_IOERR_FSYNC.rawValue, false, "The disk failed."),
            (ResultCode.SQLITE_IOERR_READ.rawValue, false, "The disk failed."),
            (ResultCode.SQLITE_IOERR.rawValue, false, "The disk failed."),
            (ResultCode.SQLITE_CORRUPT.rawValue, false, "The file is damaged."),
            (ResultCode.SQLITE_ERROR.rawValue, false, "SQLite failed."),
        ] as [(CInt, Bool, String)])
    func `after a commit that failed nobody can tell, unless nothing whole was written`(
        code: CInt, isCertain: Bool, words: String
    ) {
        let error = JournalError(
            committing: DatabaseError(resultCode: ResultCode(rawValue: code), message: "m"))
        #expect(unavailable(error) == isCertain)
        #expect(error.text.contains(words))
        #expect(error.text.contains("(SQLite error \(code): m)"))
    }

    @Test func `an error of another kind that comes of a commit says nothing of it either`() {
        struct Other: Error {}
        #expect(unavailable(JournalError(committing: Other())) == false)
        #expect(unavailable(JournalError(committing: JournalError.unavailable("x"))) == false)
    }

    @Test(
        arguments: [
            (ResultCode.SQLITE_CORRUPT.rawValue, true, "The file is damaged."),
            (ResultCode.SQLITE_CORRUPT_VTAB.rawValue, true, "The file is damaged."),
            (ResultCode.SQLITE_NOTADB.rawValue, true, "The file is no SQLite database."),
            (ResultCode.SQLITE_CANTOPEN.rawValue, false, "The file can't be opened."),
            (ResultCode.SQLITE_PERM.rawValue, false, "The file can't be opened."),
            (ResultCode.SQLITE_IOERR_FSYNC.rawValue, false, "The disk failed."),
            (ResultCode.SQLITE_FULL.rawValue, false, "The disk is full."),
        ] as [(CInt, Bool, String)])
    func `of all other errors nothing was changed, and damage is said to be that`(
        code: CInt, isDamage: Bool, words: String
    ) {
        let error = JournalError(DatabaseError(resultCode: ResultCode(rawValue: code)))
        if isDamage {
            guard case .damaged = error else {
                Issue.record("It is \(error).")
                return
            }
        } else {
            #expect(unavailable(error) == true)
        }
        #expect(error.text.hasPrefix(words))
        #expect(error.text.contains("(SQLite error \(code): "))
    }

    @Test func `an error stays what it is, and names its file once`() {
        #expect(JournalError(JournalError.replaced("r") as any Error) == .replaced("r"))
        for (error, named) in [
            (.unavailable("No."), .unavailable("'/f': No.")),
            (.damaged("No."), .damaged("'/f': No.")),
            (.unavailable("'/f' is in use."), .unavailable("'/f' is in use.")),
            (.damaged("'/f' is old."), .damaged("'/f' is old.")),
            (.truncated(below: 3), .truncated(below: 3)), (.replaced("No."), .replaced("No.")),
        ] as [(JournalError, JournalError)] { #expect(error.naming("/f") == named) }
    }

    // MARK: Bounds

    @Test func `a room has a name of 4 KiB at most, and no NUL`() {
        for name in ["/", "a", "\u{1}", String(repeating: "x", count: 4096)] {
            #expect(RoomRow.isName(name))
        }
        for name in [
            "", "/a\0b", String(repeating: "x", count: 4097), String(repeating: "é", count: 2049),
        ] {
            #expect(!RoomRow.isName(name))
        }
    }

    private func row(payload: Int, time: Double = 0) -> EntryRow {
        EntryRow(
            client: "c", seq: 1, base: 0, settled: 0, sender: "s", roles: [1], time: time, seed: 0,
            schema: 1, type: "t", payload: [UInt8](repeating: 0, count: payload), more: [2],
            rejection: [3])
    }

    @Test func `an entry has 16 MiB of text at most, of all its parts, and a time`() {
        // Six others of one byte each.
        let most = (16 << 20) - 6
        #expect(row(payload: 0).textBytes == 6)
        #expect(throws: Never.self) { try row(payload: most).check(place: 3) }
        #expect(
            throws: JournalError.unfit(
                place: 3, "The entry has 16777217 bytes; the journal takes 16777216.")
        ) { try row(payload: most + 1).check(place: 3) }
        for time in [Double.infinity, -.infinity, .nan] {
            #expect(throws: JournalError.self) { try row(payload: 1, time: time).check(place: 0) }
        }
    }

    @Test func `a page has 500 entries, or ends with the one that makes it a MiB`() throws {
        let long = JournalSample.Note(text: String(repeating: "x", count: 1 << 20))
        var large = [JournalSample.entry(1, [long])]
        large += JournalSample.notes(2, from: 2)
        let rooms: [(String, [JournalEntry], [Int])] = [
            ("/many", JournalSample.notes(501), [500, 1]), ("/large", large, [1, 2]),
        ]
        let database = try DatabaseQueue()
        try database.writeWithoutTransaction { database in
            try StoreSchema.make(in: database, StoreHistory(seed: 7))
            var offset: UInt64 = 0
            for (room, entries, _) in rooms {
                var writer = try RoomWriter(room, epoch: "e", in: database)
                for entry in entries {
                    offset += 1
                    try writer.add(EntryRow(try JournalRecord(entry)), at: offset)
                }
            }
            for (room, _, counts) in rooms {
                var start = LogPage.Start.offset(0)
                for (place, count) in counts.enumerated() {
                    let page = try LogPage(of: room, from: start, in: database)
                    #expect(page.entries.count == count)
                    #expect(page.isLast == (place == counts.count - 1))
                    start = .entry(page.end)
                }
                let behind = try LogPage(of: room, from: start, in: database)
                #expect(behind.entries.isEmpty && behind.isLast)
            }
            let nowhere = try LogPage(of: "/none", from: .offset(0), in: database)
            #expect(nowhere.entries.isEmpty && nowhere.isLast)
            #expect(nowhere.end == .beginning(of: "/none"))
        }
    }

    // MARK: Names

    @Test func `a room's epoch follows from the file's history and its name`() {
        // Of `sha256sum`.
        let expected = "80bfc1ff395e3934984113bb893d6642"
        #expect(StoreHistory(seed: 7).epoch(of: "/a") == expected)
        #expect(StoreHistory(seed: 8).epoch(of: "/a") != expected)
        #expect(StoreHistory(seed: 7).epoch(of: "/b") != expected)
    }

    @Test func `a durability is SQLite's word and number`() {
        #expect(SQLiteDurability.machine.pragma == ("FULL", 2))
        #expect(SQLiteDurability.process.pragma == ("NORMAL", 1))
        #expect(SQLiteDurability.allCases.map(\.rawValue) == ["machine", "process"])
    }

    @Test func `an entry that is skipped is rejected as the server's fault`() {
        let counted = Tombstones.rejection(crashes: 3)
        #expect(counted.code == .internal)
        #expect(counted.title == "The server failed to reduce the action.")
        #expect(counted.detail == "It ended 3 times in a row while it tried.")
        #expect(Tombstones.rejection(crashes: nil).detail == nil)
    }

    // MARK: Files

    @Test func `a replaced file is kept under the next free number, with its log`() throws {
        let path = directory.file("rooms.sqlite")
        func write(_ text: String, _ suffix: String = "") throws {
            try Data(text.utf8).write(to: URL(filePath: path + suffix))
        }
        func content(_ file: String) -> String? {
            FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }
        }
        for number in 1...2 {
            try write("old \(number)")
            if number == 2 { try write("log", "-wal") }
            try write("shared", "-shm")
            try write("new", "-unfinished")
            let kept = try KeptFile.replace(path, by: path + "-unfinished", keptAs: "replaced")
            #expect(kept == "\(path)-replaced-\(number)")
            #expect(content(kept) == "old \(number)")
            #expect(content(kept + "-wal") == (number == 2 ? "log" : nil))
            #expect(content(path) == "new")
        }
        #expect(
            directory.names.sorted() == [
                "rooms.sqlite", "rooms.sqlite-replaced-1", "rooms.sqlite-replaced-2",
                "rooms.sqlite-replaced-2-wal",
            ])
        #expect(StoreFile.size(path) == 3 && StoreFile.size(path + "x") == 0)
        #expect(throws: JournalError.self) { try KeptFile.move(path + "x", to: path) }
    }

    @Test func `what an interrupted attempt left is gone before the next`() throws {
        let path = directory.file("rooms.sqlite")
        for suffix in ["-unfinished", "-unfinished-wal", "-unfinished-shm"] {
            try Data("x".utf8).write(to: URL(filePath: path + suffix))
        }
        #expect(StoreFile.unfinished(path) == path + "-unfinished")
        #expect(directory.names == [])
    }

    @Test func `a file that is made is its owner's alone, and one that is there stays`() throws {
        let path = directory.file("rooms.sqlite")
        try StoreFile.make(path)
        #expect(try directory.permissions("rooms.sqlite") == 0o600)
        try Data("x".utf8).write(to: URL(filePath: path))
        try StoreFile.make(path)
        #expect(StoreFile.size(path) == 1)
        let error = #expect(throws: JournalError.self) { try StoreFile.make(path + "/x") }
        #expect(error?.text.hasPrefix("'\(path)/x' can't be made: ") == true)
    }

    @Test func `where no file can be is said, and nothing is made beside it`() throws {
        let folder = StoreFile.canonicalPath(directory.path)
        let refusals = [
            folder: "'\(folder)' is a folder: give the path of a file in it.",
            folder + "/no/x": "'\(folder)/no/x' can't be made: there is no folder '\(folder)/no'.",
        ]
        for (path, refusal) in refusals {
            let error = #expect(throws: JournalError.self) { try SQLiteStore.openHere(path) }
            #expect(error?.text == refusal)
        }
        #expect(!StoreFile.exists(folder + "-lock") && directory.names == [])
    }

    @Test func `who has a lock is said, if that is known`() throws {
        let path = directory.file("rooms.sqlite")
        let lock = try StoreLock(path)
        func refusal() -> String? {
            #expect(throws: JournalError.self) { try StoreLock(path) }?.text
        }
        let stop = "Stop that, or choose another file."
        #expect(refusal() == "'\(path)' is in use by the process \(getpid()). \(stop)")
        for text in ["", "x1\n"] {
            try Data(text.utf8).write(to: URL(filePath: path + "-lock"))
            #expect(refusal() == "'\(path)' is in use by another process. \(stop)")
        }
        lock.release()
        #expect(directory.names == [])
    }

    @Test func `what a disk has left is known for a folder that is there`() {
        #expect(DiskSpace(of: directory.file("rooms.sqlite")).free ?? 0 > 0)
        #expect(DiskSpace(of: directory.file("nowhere/rooms.sqlite")).free == nil)
    }
}
