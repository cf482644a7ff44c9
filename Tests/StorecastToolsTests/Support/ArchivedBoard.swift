import ArgumentParser
import Example
import Foundation
import GRDB
import StorecastSQLite
import StorecastTesting
import Testing
import TestSupport
@testable import StorecastTools

/// A journal's file with the archived board of `Tests/Vectors/journals` at `/`.
///
/// Twelve entries lead to version 9: the one at offset 6 is a duplicate, those at 7 and 8 are
/// rejected. A snapshot stands behind the last.
@MainActor struct ArchivedBoard {
    private let directory: TemporaryDirectory
    let path: String

    /// - Parameter snapshots: where more of them stand than behind the last entry.
    init(snapshotsAt snapshots: [UInt64] = []) async throws {
        directory = try TemporaryDirectory()
        path = directory.file("board.sqlite")
        let bench = try await bench()
        let replay = RoomReplay(Board.room)
        for line in try Self.lines {
            switch try JournalLine(ArraySlice(line.utf8)) {
            case .header: break
            case .entry(let offset, let record):
                try await bench.append([Self.entry(record)], to: "/")
                try replay.reduce(record, at: offset)
                guard snapshots.contains(offset) else { continue }
                try await bench.save(replay.keptSnapshot(), of: "/")
            case .snapshot(let kept): try await bench.save(kept, of: "/")
            }
        }
        await bench.close()
    }

    static var lines: [String] {
        get throws {
            let url = URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Vectors/journals/board-1.jsonl")
            return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(
                String.init)
        }
    }

    /// Another file in the same directory.
    func file(_ name: String) -> String { directory.file(name) }

    /// What a server has that serves from the file.
    func bench() async throws(JournalError) -> JournalBench {
        let path = path
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
    }

    /// Changes the file past the journal.
    func damage(by change: String) async throws {
        let file = try DatabaseQueue(path: path)
        try await file.write { try $0.execute(sql: change) }
        try file.close()
    }

    /// Runs a command as a program that knows the board.
    func run<Command: PrintingCommand>(
        _ type: Command.Type, _ arguments: String...
    ) throws -> [String] {
        var lines: [String] = []
        let command = try type.parse([path] + arguments)
        try KnownRooms.$current.withValue(KnownRooms { _, _ in Board.room }) {
            try command.run { lines.append($0) }
        }
        return lines
    }

    /// The lines that `export` writes.
    func export(_ arguments: String...) throws -> [String] { try export(arguments) }

    func export(_ arguments: [String]) throws -> [String] {
        let output = file("board.jsonl")
        defer { try? FileManager.default.removeItem(atPath: output) }
        try JournalExportCommand.parse([path, "--output", output] + arguments).run()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.hasSuffix("\n"))
        return text.split(separator: "\n").map(String.init)
    }

    private static func entry(_ record: JournalRecord) throws -> JournalEntry {
        JournalEntry(
            client: record.client, seq: record.seq, base: record.base, settled: record.settled,
            sender: record.sender, time: record.time, seed: record.seed,
            actions: try record.actions.map {
                try Board.room.actions.action(recorded: $0.type, $0.payload)
            },
            rejection: record.rejection, schema: record.schema)
    }
}
