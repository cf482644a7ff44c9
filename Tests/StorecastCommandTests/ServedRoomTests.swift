import Example
import Foundation
import StorecastSQLite
import StorecastServer
import StorecastTesting
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand

/// What a file is of that `storecast serve` left.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ServedRoomTests {
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "storecast-\(UUID().uuidString).sqlite").path

    @Test func `a board is known by its actions`() async throws {
        let room = try await served { bench in
            try await bench.append([JournalSample.entry(1, [Say(text: "Hi")])], to: "/")
        }
        #expect(room is RoomDefinition<Board>)
    }

    @Test func `and by people who come and do nothing`() async throws {
        let room = try await served { bench in
            let joined = ClientJoined(participant: "p", user: "ada")
            try await bench.append([JournalSample.entry(1, [joined])], to: "/")
        }
        #expect(room is RoomDefinition<Board>)
    }

    @Test func `a document is known by its actions`() async throws {
        let room = try await served { bench in
            try await bench.save(start(JSONRoom.definition(initial: ["tea": 1])), of: "/")
            let more = IncrementValue(path: JSONPath(JSONPointer(["tea"])), by: 2)
            try await bench.append([JournalSample.entry(1, [more])], to: "/")
        }
        #expect(room is RoomDefinition<SharedDocument>)
    }

    @Test func `without the document with which it began, its states aren't known`() async throws {
        await #expect(throws: CommandFailure.self) {
            try await served { bench in
                let more = IncrementValue(path: JSONPath(JSONPointer(["tea"])), by: 2)
                try await bench.append([JournalSample.entry(1, [more])], to: "/")
            }
        }
    }

    @Test func `where nothing happened yet, what it began with tells`() async throws {
        let board = try await served { try await $0.save(start(Board.room), of: "/") }
        #expect(board is RoomDefinition<Board>)
        let document = try await served { bench in
            try await bench.save(start(JSONRoom.definition(initial: [1])), of: "/")
        }
        #expect(document is RoomDefinition<SharedDocument>)
        #expect(try await served { _ in } == nil)
    }

    @Test func `other programs' rooms aren't taken for either`() async throws {
        let room = try await served { bench in
            try await bench.append(JournalSample.notes(2), to: "/")
        }
        #expect(room == nil)
    }

    private func start<State>(_ room: RoomDefinition<State>) throws -> JournalSnapshot {
        try RoomReplay(room).keptSnapshot()
    }

    /// What the room at `/` of a file is taken for that `write` wrote.
    private func served(
        _ write: (JournalBench) async throws -> Void
    ) async throws -> (any RoomDefinitionProtocol)? {
        let path = path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
        do {
            try await write(bench)
            await bench.close()
        } catch {
            await bench.close()
            throw error
        }
        let file = try JournalFile(path)
        defer { file.close() }
        return try ServedRoom.definition(of: "/", in: file)
    }
}
