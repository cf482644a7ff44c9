import Foundation
import StorecastTesting
import TestSupport
@testable import StorecastSQLite

/// A journal that is replicated into a folder, with the time in the test's hands.
@MainActor final class ReplicaBench {
    let directory: TemporaryDirectory
    let path: String
    let folder: String
    private(set) var bench: JournalBench
    var options = JournalReplication.Options()
    /// What the replication said.
    private(set) var said: [String] = []
    private var replication: JournalReplication?
    var now = 1_000_000.0

    init() async throws {
        directory = try TemporaryDirectory()
        path = directory.file("rooms.sqlite")
        folder = directory.file("replica")
        let path = path
        bench = try await JournalBench { () throws(JournalError) in
            try await SQLiteStore.open(path)
        }
        options.segmentBytes = 2_000
    }

    /// Copies until there is nothing left to copy; returns the number of steps.
    @discardableResult
    func copy() throws -> Int {
        var steps = 1
        while try !step().isDone { steps += 1 }
        return steps
    }

    func step() throws -> JournalReplication.Step {
        now += 1
        return try running().step(at: Timestamp(secondsSince1970: now))
    }

    func running() throws -> JournalReplication {
        if let replication { return replication }
        let new = try JournalReplication(of: path, to: folder, options) { self.said.append($0) }
        replication = new
        return new
    }

    /// Ends the copier, as the end of its process does.
    func kill() { replication = nil }

    /// Restores, and returns the file.
    func restore(
        _ point: RestorePoint = .newest, generation: String? = nil
    ) throws -> (file: JournalFile, report: RestoredReplica) {
        let path = directory.file("restored-\(UUID().uuidString).sqlite")
        let result = try JournalRestore.run(
            from: .replica(folder, generation: generation, until: point), to: path, replaces: false)
        return (try JournalFile(path), result.replica!)
    }

    var generations: [ReplicaGeneration] { ReplicaFolder(path: folder).generations }

    /// The path of a segment of the newest generation.
    func segment(_ number: Int) -> String {
        let newest = generations.last!
        return "\(newest.path)/\(newest.files[number - 1].name)"
    }

    /// Has the file replaced by what `body` makes of it, while the server is stopped.
    func stopped(_ body: () throws -> Void) async throws {
        await bench.close()
        try body()
        try await bench.reopen()
    }
}

extension JournalFile {
    /// All entries of a room, as far as they are intact.
    func records(of room: String) throws -> [ReadEntry] {
        try entries(of: room, after: floor(of: room), limit: .max).compactMap { entry in
            entry.isIntact ? entry.record.map { ReadEntry(offset: entry.offset, record: $0) } : nil
        }
    }
}
