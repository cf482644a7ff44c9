import Simulate
import StorecastTesting
import TestSupport
import Testing

/// The simulated server on a real file: each start finds what a killed process left of it.
@Suite(.oneAtATime) struct SimulatedJournalTests {
    /// `Simulate --seeds 10000 --journal sqlite` is the longer run.
    @Test(.timeLimit(.minutes(30)), arguments: 0..<4 as Range<UInt64>)
    func `the promises hold on SQLite too`(_ group: UInt64) throws {
        try SimulatedJournal.sqlite.simulation.check(group * 2..<group * 2 + 2)
    }

    @Test(.timeLimit(.minutes(30)), arguments: [3, 42] as [UInt64])
    func `the same seed is the same run on SQLite, line by line`(_ seed: UInt64) {
        let first = SimulatedJournal.sqlite.simulation.run(seed: seed, tracing: true)
        let second = SimulatedJournal.sqlite.simulation.run(seed: seed, tracing: true)
        #expect(first.actions > 0)
        #expect(first.trace == second.trace)
    }

    /// In these seeds the journal that is simulated loses nothing.
    @Test(.timeLimit(.minutes(30)), arguments: [3, 42] as [UInt64])
    func `a room on SQLite does the same as on the simulated journal`(_ seed: UInt64) {
        let sqlite = SimulatedJournal.sqlite.simulation.run(seed: seed, tracing: true)
        let memory = SimulatedJournal.memory.simulation.run(seed: seed, tracing: true)
        #expect(sqlite.trace.count { $0.contains("starts") } > 1)
        #expect(sqlite.digest == memory.digest)
        #expect(sqlite.trace != memory.trace, "Each has an epoch of its own.")
    }
}
