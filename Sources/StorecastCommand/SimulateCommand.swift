import ArgumentParser
import StorecastSimulation
import StorecastTools

/// `storecast simulate`
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a server and its clients through simulated bad days.",
        discussion: """
            Each seed is one run on a virtual clock: a room, up to hundreds of clients, connections \
            that stall and break, a server that crashes, a journal that fails. After every event the \
            protocol's promises are checked. The same seed is always the same run.

            Seeds 0 to 999, as many at once as there are processors, and others:

              storecast simulate --seeds 1000
              storecast simulate --seeds '1000..<2000'

            One run, with all that happens in it; if it fails, the shortest that fails alike:

              storecast simulate --seed 42
              storecast simulate --seed 42 --shrink

            On a temporary file, as servers have it:

              storecast simulate --seeds 1000 --journal sqlite

            Exit status: 0 if every promise held; 1 if one was broken (the seeds are printed as they \
            fail); 64 if the command makes no sense.
            """)

    @Option(help: "One seed, which is run with a readable log.")
    var seed: UInt64?

    @Option(help: "How many seeds, or which: N or A..<B.")
    var seeds: SeedRange?

    @Option(help: "How many things are done in a run, if not what its seed says.")
    var steps: Int?

    @Option(help: "How many clients take part, if not what the seed says.")
    var clients: Int?

    @Option(
        help: ArgumentHelp(
            "What keeps the simulated server's room: a journal in memory that can lose entries, or "
                + "SQLite on a temporary file, which each start finds as a crash left it."))
    var journal = SimulatedJournal.memory

    @Flag(help: "Make a run that fails as short as can be, and print that one.")
    var shrink = false

    @Flag(help: "Stop at the first seed that fails.")
    var first = false

    func validate() throws {
        guard (seed == nil) != (seeds == nil) else {
            throw ValidationError("Say either --seed or --seeds.")
        }
        guard (steps ?? 0) >= 0, (clients ?? 1) >= 1, (clients ?? 1) <= 10_000 else {
            throw ValidationError("There must be at least one client, and no fewer than 0 steps.")
        }
    }

    func run() async throws {
        var simulation = journal.simulation
        simulation.options = SimulationOptions(steps: steps, clients: clients)
        if let seed {
            try show(seed, simulation)
        } else if let seeds {
            try await SeedSearch(simulation, seeds.seeds, stopsAtFirst: first).run()
        }
    }

    private func show(_ seed: UInt64, _ simulation: Simulation) throws {
        let report =
            shrink ? simulation.shrunk(seed: seed) : simulation.run(seed: seed, tracing: true)
        for line in report.trace { StandardOutput.write(line) }
        StandardOutput.write(
            "Seed \(seed): \(report.clients.counting("client", "clients")), "
                + "\(report.steps.counting("step", "steps")), "
                + "\(report.events.counting("event", "events")), "
                + "\(report.actions.counting("action", "actions")) in \(report.duration); "
                + "trace \(String(report.digest, radix: 16))")
        guard let violation = report.violation else { return }
        throw CommandFailure(.refused, "Seed \(seed): \(violation)")
    }
}
