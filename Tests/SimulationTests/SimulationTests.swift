import Simulate
import StorecastTesting
import TestSupport
import Testing

@Suite(.oneAtATime) struct SimulationTests {
    /// The first 16 seeds; `.ci/run` has 3,000 more, and `Simulate --seeds 100000` is the long run. A
    /// seed that failed once isn't kept: after a change of the simulator it is another run.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `the promises hold whatever happens`(_ group: UInt64) throws {
        try Simulation.bank.check(group * 4..<group * 4 + 4)
    }

    /// `Simulate --journal nats --seeds 100000` is the long run.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `they hold where servers share a room, stand still, and are cut off`(_ group: UInt64)
        throws
    {
        try SimulatedJournal.nats.simulation.check(group * 2..<group * 2 + 2)
    }

    @Test(arguments: 0..<2 as Range<UInt64>)
    func `they hold where all of NATS loses its power`(_ group: UInt64) throws {
        try SimulatedJournal.losingNATS.simulation.check(group * 4..<group * 4 + 4)
    }

    @Test func `the same seed is the same run where servers share a room`() {
        let simulation = SimulatedJournal.nats.simulation
        let first = simulation.run(seed: 18, tracing: true)
        #expect(first.trace == simulation.run(seed: 18, tracing: true).trace)
    }

    @Test(arguments: [3, 177] as [UInt64])
    func `the same seed is the same run, line by line`(_ seed: UInt64) {
        let first = Simulation.bank.run(seed: seed, tracing: true)
        let second = Simulation.bank.run(seed: seed, tracing: true)
        #expect(!first.trace.isEmpty)
        #expect(first.trace == second.trace)
        #expect(first.digest == second.digest)
    }

    /// Hashing is seeded anew in each process: so a run that hung on the order of a `Dictionary` or
    /// `Set` would be another one there.
    @Test func `the same seed is the same run in every process`() async {
        let digests = Self.digests
        await #expect(processExitsWith: .success) { [digests = digests as [UInt64]] in
            #expect(Self.digests == digests)
        }
    }

    private static var digests: [UInt64] {
        (0..<3).map { Simulation.bank.run(seed: $0).digest }
    }

    @Test func `another seed is another run`() {
        #expect(Simulation.bank.run(seed: 1).digest != Simulation.bank.run(seed: 2).digest)
    }

    @Test func `steps and clients can be chosen`() {
        var simulation = Simulation.bank
        simulation.options = SimulationOptions(steps: 10, clients: 3)
        let report = simulation.run(seed: 5)
        #expect(report.clients == 3)
        // Each client's arrival comes on top.
        #expect(report.steps == 13)
        #expect(report.trace.isEmpty)
    }

    @Test func `hundreds of clients take part at times`() {
        var simulation = Simulation.bank
        simulation.options = SimulationOptions(clients: 200)
        let report = simulation.run(seed: 1)
        #expect(report.violation == nil)
        #expect(report.actions > 200)
    }
}
