import ArgumentParser
import Foundation
import StorecastSQLite
package import StorecastSimulation
import StorecastRoom

/// The journal of a simulated server.
package enum SimulatedJournal: String, ExpressibleByArgument, CaseIterable {
    case memory, sqlite
    /// At NATS JetStream, which several servers share.
    case nats
    /// The same, and all its servers lose their power now and then.
    case losingNATS = "nats-losing"

    /// A simulation of the bank with this journal.
    package var simulation: Simulation {
        switch self {
        case .memory: .bank
        case .sqlite:
            .bank(journal: { seed in
                let file = SimulatedFile(seed: seed)
                return { file.open() }
            })
        case .nats: .bank(cluster: { SimulatedNATS(seed: $0, losesEnds: false, in: $1) })
        case .losingNATS: .bank(cluster: { SimulatedNATS(seed: $0, losesEnds: true, in: $1) })
        }
    }
}

/// The journal's file of a simulated server, which each start finds as the last process left it,
/// whatever that was about to write or to close. It is removed with this object.
private final class SimulatedFile {
    private let directory = FileManager.default.temporaryDirectory.appending(
        path: "storecast-\(UUID().uuidString)")
    private let seed: UInt64
    private var starts = 0
    private var store: SQLiteStore?

    /// - Parameter seed: what the room's epoch is made of.
    init(seed: UInt64) {
        self.seed = seed
    }

    deinit {
        close()
        try? FileManager.default.removeItem(at: directory)
    }

    /// The journal of a process that starts.
    func open() -> any Journal {
        do {
            return BlockingJournal(in: try start())
        } catch {
            // An unusable temporary folder says nothing about the seed.
            fatalError("The simulated server's journal in '\(directory.path)': \(error)")
        }
    }

    private func start() throws -> SQLiteStore {
        let last = path
        starts += 1
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: last + suffix) {
            try FileManager.default.copyItem(atPath: last + suffix, toPath: path + suffix)
        }
        close()
        // Only processes crash here, and syncing for crashes of the machine is a hundred times
        // slower.
        let new = try SQLiteStore.openHere(path, durability: .process, history: seed)
        store = new
        return new
    }

    private var path: String { directory.appending(path: "\(starts).sqlite").path }

    /// Closes the last process's file, which is of no more use.
    private func close() {
        guard let store else { return }
        let isClosed = DispatchSemaphore(value: 0)
        store.close { isClosed.signal() }
        isClosed.wait()
    }
}
