import ArgumentParser
import Foundation
import GRDB
import StorecastSQLite
import StorecastTesting
import StorecastTools
import TestSupport
import Testing

@testable import StorecastCommand
@testable import StorecastNATS

/// `storecast cluster import` and `export`, with `nats-server` at the other end.
@Suite(
    .enabled(if: NATSProcess.isThere, "needs .build/python: see the README's test command"),
    .timeLimit(.minutes(30)), .fewAtATime)
@MainActor struct ClusterCopyCommandTests {
    private let directory: TemporaryDirectory
    private let file: String
    private let back: String
    private let nats: NATSProcess

    /// A room in which all has happened that may, and one of which the beginning is forgotten.
    private let rooms = ["/a", JournalSample.lookAlikes[1]]

    init() async throws {
        directory = try TemporaryDirectory()
        (file, back) = (directory.file("rooms.sqlite"), directory.file("back.sqlite"))
        nats = try await NATSProcess()
        let bench = try await bench()
        try await bench.save(Self.snapshot(at: 0, version: 0), of: rooms[0])
        try await bench.append(JournalSample.strangeOnes, to: rooms[0])
        let middle = try await bench.append(JournalSample.notes(3), to: rooms[0])
        try await bench.save(Self.snapshot(at: middle, version: 8), of: rooms[0])
        try await bench.append(JournalSample.notes(1, from: 4), to: rooms[0])
        let cut = try await bench.append(JournalSample.notes(4), to: rooms[1])
        try await bench.save(Self.snapshot(at: cut, version: 4), of: rooms[1])
        let head = try await bench.append(JournalSample.notes(2, from: 5), to: rooms[1])
        try await bench.save(Self.snapshot(at: head, version: 6), of: rooms[1])
        try await bench.truncate(rooms[1], through: cut)
        await bench.close()
    }

    @Test(arguments: [false, true])
    func `rooms go from a file to NATS and back as they were, with their epochs or new ones`(
        keepsEpochs: Bool
    ) async throws {
        let flags = keepsEpochs ? ["--keep-epoch"] : []
        #expect(
            try await importing([file] + flags)
                == "NATS has 2 rooms of '\(file)' now, with 12 entries.")
        #expect(
            try await exporting([back] + flags)
                == "'\(back)' has 2 rooms of NATS now, with 12 entries.")
        for room in rooms {
            let (before, after) = (try story(of: room, in: file), try story(of: room, in: back))
            #expect(before.lines == after.lines)
            #expect((before.epoch == after.epoch) == keepsEpochs)
        }
        let copy = try JournalFile(back)
        defer { copy.close() }
        #expect(try copy.floor(of: rooms[0]) == 0)
        #expect(try copy.floor(of: rooms[1]) > 0)
        #expect(try copy.isSound())
    }

    @Test func `some rooms may be copied, but none that is there already, or isn't`() async throws {
        #expect(
            try await importing([file, "--room", rooms[1]])
                == "NATS has 1 room of '\(file)' now, with 2 entries.")
        await expectFailure(.refused, "NATS has the room '\(rooms[1])' already. Nothing was") {
            try await importing([file])
        }
        await expectFailure(.refused, "There is no room '/b' in '") {
            try await importing([file, "--room", "/b"])
        }
        await expectFailure(.refused, "There is no room '/a' in NATS.") {
            try await exporting([back, "--room", "/a"])
        }
        await expectFailure(.refused, "The file has a room '\(rooms[1])' already. Nothing was") {
            try await exporting([file])
        }
        #expect(!directory.names.contains("back.sqlite"))
        #expect(
            try await importing([file, "--room", "/a"])
                == "NATS has 1 room of '\(file)' now, with 10 entries.")
        #expect(
            try await exporting([back, "--room", "/a"])
                == "'\(back)' has 1 room of NATS now, with 10 entries.")
        #expect(
            try await exporting([back, "--room", rooms[1]])
                == "'\(back)' has 1 room of NATS now, with 2 entries.")
    }

    @Test func `a file that a server uses, or that isn't there, isn't imported`() async throws {
        let bench = try await bench()
        await expectFailure(.trouble, "is in use by the process") { try await importing([file]) }
        await bench.close()
        await expectFailure(.trouble, "There is no file") { try await importing([back]) }
        nats.kill()
        await expectFailure(.trouble, "NATS can't be reached") { try await exporting([back]) }
        #expect(directory.names == ["rooms.sqlite"])
    }

    @Test(
        arguments: [
            (.process, false, false), (.process, true, true), (.machine, false, true),
            (.machine, true, true),
        ] as [(SQLiteDurability, Bool, Bool)])
    func `what may lack its newest entries isn't imported with its epochs`(
        durability: SQLiteDurability, isClosed: Bool, isWhole: Bool
    ) async throws {
        // As a server leaves it that the machine went down with, or one before.
        let database = try DatabaseQueue(path: file)
        try await database.write { database in
            try database.execute(
                sql: "UPDATE journal SET durability = ?, boot = 'another', isClosed = ?",
                arguments: [durability.rawValue, isClosed])
        }
        try database.close()
        let result = "NATS has 2 rooms of '\(file)' now, with 12 entries."
        if isWhole {
            #expect(try await importing([file, "--keep-epoch"]) == result)
        } else {
            await expectFailure(.trouble, "its newest entries may be gone") {
                try await importing([file, "--keep-epoch"])
            }
            await expectFailure(.refused, "No server of the cluster 'storecast' has been started") {
                try await exporting([back])
            }
            #expect(try await importing([file]) == result)
        }
    }

    @Test func `what NATS does not permit is said, not that it does not answer`() async throws {
        let nats = try await NATSProcess(
            """
            authorization { users: [ { user: guest, password: secret, permissions: {
                publish: { deny: ["$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.MSG.GET.*"] } } } ] }
            """)
        let password = directory.file("password")
        try "secret".write(toFile: password, atomically: true, encoding: .utf8)
        let guest = [
            "--cluster", nats.address, "--nats-replicas", "1", "--nats-user", "guest",
            "--nats-token", password,
        ]
        let problem = "NATS doesn't permit it: "
        await expectFailure(.trouble, problem) {
            try await ClusterImportCommand.parse([file] + guest).run { _ in }
            return ""
        }
        await expectFailure(.trouble, problem) {
            try await ClusterExportCommand.parse([back] + guest).run { _ in }
            return ""
        }
    }

    @Test func `of what is damaged nothing is copied`() async throws {
        let damaged = directory.file("damaged.sqlite")
        let record = try JournalRecord(JournalSample.notes(1)[0])
        try JournalAddition.run(on: damaged) { addition in
            for room in ["/d", "/e"] {
                try addition.begin(room)
                try addition.add(record, at: 1)
                try addition.add(record, at: 2)
            }
        }
        let database = try DatabaseQueue(path: damaged)
        try await database.write { database in
            try database.execute(sql: "UPDATE entries SET seq = 9 WHERE offset = 4")
        }
        try database.close()
        await expectFailure(.trouble, "isn't what was written") { try await importing([damaged]) }
        await expectFailure(.refused, "There is no room in NATS.") { try await exporting([back]) }
        await expectFailure(.refused, "No server of the cluster 'other' has been started") {
            try await exporting([back, "--nats-name", "other"])
        }

        _ = try await importing([file])
        let layout = JetStreamLayout(replicas: 1)
        let store = try await JetStreamStore.open(
            try NATSConfiguration(nats.address), layout, timeout: .seconds(20))
        let written = await store.jetStream.write(
            [1], to: layout.subject(of: rooms[1]), headers: NATSHeaders(), behind: nil)
        await store.close()
        guard case .kept = written else { throw TooLate(description: "\(written)") }
        await expectFailure(.trouble, "isn't ours.") { try await exporting([back]) }
        #expect(!directory.names.contains("back.sqlite"))
    }

    // MARK: Help

    private var options: [String] { ["--cluster", nats.address, "--nats-replicas", "1"] }

    private func importing(_ arguments: [String]) async throws -> String {
        var lines: [String] = []
        try await ClusterImportCommand.parse(arguments + options).run { lines.append($0) }
        return lines.joined(separator: "\n")
    }

    private func exporting(_ arguments: [String]) async throws -> String {
        var lines: [String] = []
        try await ClusterExportCommand.parse(arguments + options).run { lines.append($0) }
        return lines.joined(separator: "\n")
    }

    /// What a server has that serves from the file.
    private func bench() async throws -> JournalBench {
        let file = file
        return try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(file)
        }
    }

    private nonisolated static func snapshot(at offset: UInt64, version: UInt64) -> JournalSnapshot
    {
        JournalSnapshot(
            offset: offset, version: version, content: Array(#"{"version":\#(version)}"#.utf8))
    }

    /// All that a file has of a room, but for the offsets.
    private func story(
        of room: String, in path: String
    ) throws -> (epoch: String, lines: [JournalLine]) {
        let file = try JournalFile(path)
        defer { file.close() }
        let found = try #require(try file.rooms().first { $0.name.isSameText(as: room) })
        var text = try JournalText(of: found, in: file)
        var lines: [JournalLine] = []
        while let line = try text.nextLine() {
            switch line {
            case .header: break
            case .entry(_, let record): lines.append(.entry(offset: 1, record))
            case .snapshot(var snapshot):
                snapshot.offset = 1
                lines.append(.snapshot(snapshot))
            }
        }
        return (found.epoch, lines)
    }

    private func expectFailure(
        _ status: CommandFailure.Status, _ problem: String, _ body: () async throws -> String
    ) async {
        do {
            Issue.record("It says: \(try await body())")
        } catch {
            // As the program does.
            let failure =
                error as? CommandFailure ?? (error as? JournalError).map { CommandFailure($0) }
            #expect(failure?.status == status, "\(error)")
            #expect(failure?.description.contains(problem) == true, "\(error)")
        }
    }
}

struct ClusterCopyOptionsTests {
    @Test(arguments: [
        [], ["a.sqlite"], ["a.sqlite", "--cluster", "http://a"],
        ["a.sqlite", "--cluster", "nats://a", "--cluster-address", "a:1"],
        ["a.sqlite", "b.sqlite", "--cluster", "nats://a"],
    ])
    func `what makes no sense is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try ClusterImportCommand.parse(arguments) }
        #expect(throws: (any Error).self) { try ClusterExportCommand.parse(arguments) }
    }
}
