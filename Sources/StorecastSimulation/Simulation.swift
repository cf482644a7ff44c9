import StorecastSync

/// Runs a room with its clients through bad days, each made of one seed, and checks that the
/// promises hold.
///
/// ```swift
/// @Test(arguments: 0..<10 as Range<UInt64>)
/// func `nothing is lost, whatever happens`(_ group: UInt64) throws {
///     try Simulation(of: board).check(group * 20..<group * 20 + 20)
/// }
/// ```
///
/// The room, its sessions, the clients' sessions and mirrors are the real ones. What lies around
/// them is simulated on one virtual clock: connections that delay, stall, break and lie half open;
/// clients that come, go, crash and forget; a server that stops, or crashes between any two steps
/// and reads its journal anew; a journal that is slow, fails, doesn't know, keeps twice and loses
/// its tail. After every event what it touched is compared with what the log alone says. One run
/// takes some milliseconds to a second, in one thread; runs don't share anything.
public struct Simulation: Sendable {
    /// What to decide oneself.
    public var options = SimulationOptions()
    private let room: RoomKit
    /// The same with names that look alike, for one seed of eight.
    private let lookAlike: RoomKit?
    /// Makes the journal of a run, and what opens it at each start of the server.
    private let journal: JournalMaker?

    package typealias JournalMaker = @Sendable (_ seed: UInt64) -> () -> any Journal

    /// A simulation of a room.
    public init<State>(of room: SimulatedRoom<State>) {
        self.init(of: room, journal: nil)
    }

    /// A simulation of a room on a journal of its own.
    ///
    /// - Parameters:
    ///   - journal: called once for each run; what it returns is called at each start of the
    ///     server. The journal completes everything before its calls return, as there is no other
    ///     time than the simulated one. It fails, stalls and keeps twice as any does, but loses
    ///     nothing.
    ///   - lookAlike: the room with other names, in one seed of eight.
    package init<State>(
        of room: SimulatedRoom<State>, lookAlike: SimulatedRoom<State>? = nil,
        journal: JournalMaker?
    ) {
        self.room = RoomKit(room)
        self.lookAlike = lookAlike.map { RoomKit($0) }
        self.journal = journal
    }

    /// Runs seeds one after the other; throws a ``SimulationFailure`` for the first that breaks a
    /// promise, made as short as can be.
    public func check(_ seeds: some Sequence<UInt64>) throws(SimulationFailure) {
        for seed in seeds where run(seed: seed).violation != nil {
            let report = shrunk(seed: seed)
            guard let violation = report.violation else { continue }
            throw SimulationFailure(report: report, violation: violation)
        }
    }

    /// Runs one seed to its end, or to the first violation.
    ///
    /// - Parameter tracing: whether the report is to have the trace.
    public func run(seed: UInt64, tracing: Bool = false) -> SimulationReport {
        run(Scenario(seed: seed, options), tracing: tracing)
    }

    /// The shortest run that breaks the same promise as the seed does, with its trace.
    ///
    /// Leaves out clients, troubles and steps as long as it still fails. Costs up to some hundred
    /// runs. A seed that doesn't fail is run as it is.
    public func shrunk(seed: UInt64) -> SimulationReport {
        let scenario = Scenario(seed: seed, options)
        guard let promise = run(scenario, tracing: false).violation?.promise else {
            return run(scenario, tracing: true)
        }
        let shortest = scenario.shrunk { shorter in
            run(shorter, tracing: false).violation?.promise == promise
        }
        return run(shortest, tracing: true)
    }

    private func kit(of seed: UInt64) -> RoomKit {
        var random = SeededGenerator(seed: seed, for: .lookAlikes)
        return random.happens(oneIn: 8) ? lookAlike ?? room : room
    }

    func run(_ scenario: Scenario, tracing: Bool) -> SimulationReport {
        let world = World(
            scenario, kit(of: scenario.seed), journal?(scenario.seed), isRecording: tracing)
        world.run()
        return SimulationReport(
            seed: scenario.seed, violation: world.violation, digest: world.trace.digest,
            trace: world.trace.lines, clients: scenario.clients, steps: scenario.steps.count,
            events: Int(world.time.eventCount), actions: world.actions,
            duration: world.time.now)
    }
}
