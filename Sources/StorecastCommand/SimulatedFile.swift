import Foundation
import StorecastSQLite
import StorecastSimulation

/// The journal's file of a simulated server: each start finds it as it was when the process before
/// was no more, whatever that was about to write or to close. Gone with this object.
final class SimulatedFile {
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
            // The temporary folder is of no use: nothing can be said of the seed, so no run goes
            // on.
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
        // Nobody pulls the plug here, and the other way takes a hundred times as long.
        let new = try SQLiteStore.openHere(path, durability: .process, history: seed)
        store = new
        return new
    }

    private var path: String { directory.appending(path: "\(starts).sqlite").path }

    /// Lets go of the last process's file, which is of no more use.
    private func close() {
        guard let store else { return }
        let isClosed = DispatchSemaphore(value: 0)
        store.close { isClosed.signal() }
        isClosed.wait()
    }
}
