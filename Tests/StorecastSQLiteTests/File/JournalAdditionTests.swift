import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport

/// Rooms written into a file by something other than a server.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalAdditionTests {
    private struct Refusal: Error {}

    private let directory: TemporaryDirectory
    private let path: String
    private let notes: [JournalRecord]

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
        notes = try JournalSample.notes(3).map { try JournalRecord($0) }
    }

    @Test func `a room's history is written to a new file as it is`() async throws {
        try JournalAddition.run(on: path) { addition in
            try addition.begin("/a")
            try addition.add(Self.snapshot(at: 0))
            for (offset, record) in zip([2, 5, 9] as [UInt64], notes) {
                try addition.add(record, at: offset)
                if offset == 5 { try addition.add(Self.snapshot(at: 5)) }
            }
        }
        #expect(directory.names == ["rooms.sqlite"])
        let bench = try await bench()
        #expect(try await bench.read("/a").map(\.offset) == [2, 5, 9])
        #expect(try await bench.read("/a").map(\.record) == notes)
        #expect(try await bench.snapshot(of: "/a", through: .max) == Self.snapshot(at: 5))
        #expect(try await bench.snapshot(of: "/a", through: 4) == Self.snapshot(at: 0))
        #expect(try await bench.append(JournalSample.notes(1, from: 4), to: "/a") == 10)
        await bench.close()
    }

    @Test func `in a file that has rooms it stands behind them`() async throws {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(4), to: "/a")
        await bench.close()
        try JournalAddition.run(on: path) { addition in
            try addition.begin("/b")
            try addition.add(Self.snapshot(at: 0))
            try addition.add(notes[0], at: 1)
            try addition.add(Self.snapshot(at: 1))
            // Each room counts from its own beginning.
            try addition.begin("/c")
            try addition.add(notes[0], at: 1)
        }
        let again = try await self.bench()
        #expect(try await again.read("/a").map(\.offset) == [1, 2, 3, 4])
        #expect(try await again.read("/b").map(\.offset) == [5])
        #expect(try await again.snapshot(of: "/b", through: .max)?.offset == 5)
        #expect(try await again.snapshot(of: "/b", through: 4)?.offset == 0)
        #expect(try await again.read("/c").map(\.offset) == [6])
        let epochs = try await [
            again.history(of: "/a").epoch, again.history(of: "/b").epoch,
            again.history(of: "/c").epoch,
        ]
        #expect(Set(epochs).count == 3)
        await again.close()
    }

    @Test func `a history may begin with a snapshot`() async throws {
        try JournalAddition.run(on: path) { addition in
            try addition.begin("/a")
            try addition.add(Self.snapshot(at: 7))
            try addition.add(notes[0], at: 8)
        }
        let bench = try await bench()
        #expect(try await bench.read("/a", after: 7).map(\.offset) == [8])
        await bench.expectError("truncated", { $0 == .truncated(below: 8) }) {
            () async throws(JournalError) in try await bench.read("/a")
        }
        await bench.close()
    }

    @Test func `what can't be added is refused, and nothing is added then`() async throws {
        let bench = try await bench()
        try await bench.append(JournalSample.notes(1), to: "/a")
        await bench.close()
        let changes: [(JournalAddition) throws -> Void] = [
            { try $0.begin("/a") },
            { try $0.begin("") },
            { try $0.begin("/b\u{0}") },
            { try $0.begin("/" + String(repeating: "b", count: 4096)) },
            { [notes] in
                try $0.begin("/b")
                try $0.add(notes[0], at: 2)
                try $0.add(notes[1], at: 2)
            },
            { [notes] in
                try $0.begin("/b")
                try $0.add(notes[0], at: 2)
                try $0.add(Self.snapshot(at: 1))
            },
            { [notes] in
                try $0.begin("/b")
                try $0.add(notes[0], at: .max)
            },
        ]
        for (number, change) in changes.enumerated() {
            do {
                try JournalAddition.run(on: path, change)
                Issue.record("Change \(number) was taken.")
            } catch JournalError.unfit(place: 0, _) {}
        }
        let file = try JournalFile(path)
        #expect(try file.rooms().map(\.name) == ["/a"])
        file.close()
    }

    @Test func `what the caller throws comes out, and a file that was made is gone`() {
        #expect(throws: Refusal.self) {
            try JournalAddition.run(on: path) { addition in
                try addition.begin("/a")
                try addition.add(notes[0], at: 1)
                throw Refusal()
            }
        }
        #expect(directory.names.isEmpty)
    }

    @Test func `a room that fails is taken back by itself, and may be added anew`() throws {
        try JournalAddition.run(on: path) { addition in
            try addition.begin("/a")
            try addition.add(notes[0], at: 1)
            #expect(throws: Refusal.self) {
                try addition.attempt {
                    try addition.begin("/b")
                    try addition.add(Self.snapshot(at: 0))
                    try addition.add(notes[0], at: 1)
                    throw Refusal()
                }
            }
            let count = try addition.attempt {
                try addition.begin("/b")
                try addition.add(notes[1], at: 1)
                return 1
            }
            #expect(count == 1)
        }
        let file = try JournalFile(path)
        defer { file.close() }
        #expect(try file.rooms().map(\.name) == ["/a", "/b"])
        #expect(try file.entries(of: "/b", after: 0).map(\.record) == [notes[1]])
        #expect(try file.entries(of: "/b", after: 0).map(\.offset) == [2])
        #expect(try file.snapshots(of: "/b").isEmpty)
        #expect(try file.isSound())
    }

    @Test func `a room has the epoch that is said, and none that another one had`() throws {
        try JournalAddition.run(on: path) { addition in
            for (room, epoch) in [("/a", "e"), ("/b", nil), ("/c", nil)] {
                try addition.begin(room, epoch: epoch)
                try addition.add(notes[0], at: 1)
            }
        }
        let file = try JournalFile(path)
        defer { file.close() }
        let epochs = try file.rooms().map(\.epoch)
        #expect(epochs[0] == "e" && Set(epochs).count == 3)
    }

    @Test func `a file that a server uses is left to it`() async throws {
        let bench = try await bench()
        #expect(throws: JournalError.self) { try JournalAddition.run(on: path) { _ in } }
        await bench.close()
    }

    private func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
    }

    private nonisolated static func snapshot(at offset: UInt64) -> JournalSnapshot {
        JournalSnapshot(offset: offset, version: offset, content: Array("\(offset)".utf8))
    }
}
