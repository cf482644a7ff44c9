import Foundation
@_exported public import StorecastRoom
@_exported public import StorecastSync
import Synchronization

/// Runs a server and its clients under simulated faults, each run drawn from one seed, and checks
/// that the protocol's promises hold.
///
/// ```swift
/// @Test(arguments: 0..<10 as Range<UInt64>)
/// func `nothing is lost, whatever happens`(_ group: UInt64) throws {
///     try Simulation(of: board).check(group * 20..<group * 20 + 20)
/// }
/// ```
///
/// The room, its loop and sessions, the clients' connectors, sessions and mirrors are the real
/// ones. What surrounds them is simulated on one virtual clock: connections that delay, stall,
/// break and stay half open; clients that connect, leave and crash; a server that stops, or crashes
/// between any two steps and reads its journal again; a journal that is slow, fails, doesn't know
/// whether it kept a batch, keeps one twice and loses its tail. After every event whatever it
/// touched is compared with a reference model. One run takes from milliseconds to a second, in one
/// thread; runs share nothing.
public struct Simulation: Sendable {
    /// What the seed doesn't decide.
    public var options = SimulationOptions()
    private let room: AnySimulatedRoom
    /// The same room with names that differ only in their bytes, for one seed of eight.
    private let lookAlike: AnySimulatedRoom?
    /// A room of tables, for one of six of the other seeds.
    private let tables: AnySimulatedRoom?
    private let journal: JournalMaker?
    private let cluster: ClusterMaker?

    /// Makes a run's journal: it is called once for each run, and what it returns at each start of
    /// the server.
    ///
    /// The journal's calls must complete before they return, as time is virtual. Faults are
    /// injected into it too, but it never loses its tail.
    package typealias JournalMaker = @Sendable (_ seed: UInt64) -> () -> any Journal

    /// A simulation of a room.
    public init<State>(of room: SimulatedRoom<State>) {
        self.init(AnySimulatedRoom(room))
    }

    /// A simulation of several rooms: seeds of one share run `lookAlike`, those of another
    /// `tables`. Without a `journal` each run has one in memory, which can lose its tail.
    init(
        _ room: AnySimulatedRoom, lookAlike: AnySimulatedRoom? = nil,
        tables: AnySimulatedRoom? = nil, journal: JournalMaker? = nil,
        cluster: ClusterMaker? = nil
    ) {
        self.room = room
        self.lookAlike = lookAlike
        self.tables = tables
        self.journal = journal
        self.cluster = cluster
    }

    /// Runs seeds one after the other; throws a ``SimulationFailure`` for the first that breaks a
    /// promise, shrunk.
    public func check(_ seeds: some Sequence<UInt64>) throws(SimulationFailure) {
        for seed in seeds where run(seed: seed).violation != nil {
            let report = shrunk(seed: seed)
            guard let violation = report.violation else { continue }
            throw SimulationFailure(report: report, violation: violation)
        }
    }

    /// Runs one seed to its end, or to the first violation.
    ///
    /// - Parameters:
    ///   - seed: what everything is drawn from.
    ///   - tracing: whether the report is to have the trace.
    public func run(seed: UInt64, tracing: Bool = false) -> SimulationReport {
        run(scenario(seed), tracing: tracing)
    }

    /// The shortest run that breaks the same promise as the seed does, with its trace.
    ///
    /// Leaves out clients, faults and steps as long as it still fails: up to some hundred runs. A
    /// seed that doesn't fail is run as it is.
    public func shrunk(seed: UInt64) -> SimulationReport {
        let scenario = scenario(seed)
        guard let promise = run(scenario, tracing: false).violation?.promise else {
            return run(scenario, tracing: true)
        }
        let shortest = scenario.shrunk { shorter in
            run(shorter, tracing: false).violation?.promise == promise
        }
        return run(shortest, tracing: true)
    }

    private func scenario(_ seed: UInt64) -> Scenario {
        Scenario(seed: seed, options, isCluster: cluster != nil)
    }

    private func room(for seed: UInt64) -> AnySimulatedRoom {
        var random = SeededGenerator(seed: seed, for: .lookAlikes)
        if random.happens(oneIn: 8) { return lookAlike ?? room }
        random = SeededGenerator(seed: seed, for: .tables)
        return random.happens(oneIn: 6) ? tables ?? room : room
    }

    func run(_ scenario: Scenario, tracing: Bool) -> SimulationReport {
        cluster == nil ? runHere(scenario, tracing) : onThread { runHere(scenario, tracing) }
    }

    /// Runs `body` on a thread of its own, where there is no task: what servers of a cluster have
    /// in common runs tasks in the run, and one within another would use that one's memory.
    private func onThread(
        _ body: @escaping @Sendable () -> SimulationReport
    ) -> SimulationReport {
        let report = Mutex<SimulationReport?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            let own = body()
            report.withLock { $0 = own }
            isDone.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        isDone.wait()
        guard let report = report.withLock({ $0 }) else { preconditionFailure("It has run.") }
        return report
    }

    private func runHere(_ scenario: Scenario, _ tracing: Bool) -> SimulationReport {
        let world = World(
            scenario, room(for: scenario.seed), journal?(scenario.seed), cluster: cluster,
            isRecording: tracing)
        world.run()
        return SimulationReport(
            seed: scenario.seed, violation: world.violation, digest: world.trace.digest,
            trace: world.trace.lines, clients: scenario.clients, steps: scenario.steps.count,
            events: Int(world.time.eventCount), actions: world.actions,
            duration: world.time.now)
    }
}
