import ArgumentParser
import Foundation
import StorecastSync
import StorecastTesting
import TestSupport
import Testing

@testable import StorecastTools

@Suite(.timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct JournalExportTests {
    @Test func `what is exported is what was archived`() async throws {
        let board = try await ArchivedBoard()
        let archive = try ArchivedBoard.lines
        let lines = try board.export("--snapshots")
        #expect(lines.dropFirst() == archive.dropFirst())
        let header = try JSON(parsing: try #require(lines.first))
        #expect(header["journal"] == "storecast")
        #expect(header["room"] == "/")
        #expect(header["epoch"]?.string?.utf8.count == 32)
        #expect(try board.export().dropFirst() == archive.dropFirst().dropLast())
    }

    /// What is asked for, and the offsets of the lines behind the header; a snapshot's is negative.
    @Test(arguments: [
        (["--from", "5"], [-5, 6, 7, 8, 9, 10, 11, 12]),
        (["--from", "4"], [-4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (["--from", "4", "--snapshots"], [-4, 5, -5, 6, 7, 8, 9, 10, 11, 12, -12]),
        (["--from", "1", "--snapshots"], [1, 2, 3, 4, -4, 5, -5, 6, 7, 8, 9, 10, 11, 12, -12]),
        (["--after", "11"], [-5, 6, 7, 8, 9, 10, 11, 12]),
        (["--after", "12"], [-12]),
    ])
    func `a part begins with the snapshot before it`(
        arguments: [String], offsets: [Int]
    ) async throws {
        let board = try await ArchivedBoard(snapshotsAt: [4, 5])
        #expect(try board.export(arguments).dropFirst().map(offset) == offsets)
    }

    @Test func `what is left of a history begins with a snapshot`() async throws {
        let board = try await ArchivedBoard(snapshotsAt: [5])
        let bench = try await board.bench()
        try await bench.truncate("/", through: 5)
        await bench.close()
        #expect(
            try board.export().dropFirst().map(offset) == [-5, 6, 7, 8, 9, 10, 11, 12])
    }

    @Test func `a damaged entry ends it, and leaves no file`() async throws {
        let board = try await ArchivedBoard()
        try await board.damage(by: "UPDATE entries SET seq = 7 WHERE offset = 10")
        let output = board.file("board.jsonl")
        let command = try JournalExportCommand.parse([board.path, "--output", output])
        let failure = #expect(throws: CommandFailure.self) { try command.run() }
        #expect(failure?.description.hasPrefix("The entry at offset 10 isn't") == true)
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func `a file that is there already stays`() async throws {
        let board = try await ArchivedBoard()
        let command = try JournalExportCommand.parse([board.path, "--output", board.path])
        #expect(throws: CommandFailure.self) { try command.run() }
        #expect(try board.export().count == 13)
    }

    private func offset(_ line: String) throws -> Int {
        let json = try JSON(parsing: line)
        return (json["offset"]?.int ?? 0) * (json["snapshot"] == nil ? 1 : -1)
    }
}
