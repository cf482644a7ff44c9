import ArgumentParser
import Foundation
import StorecastSimulation

/// The simulator as a program, for those who work on the package.
@main
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Simulate",
        abstract: "Run a server and its clients under simulated faults.",
        discussion: """
            Each seed is one run on a virtual clock: a room, up to hundreds of clients, \
            connections that stall and break, a server that crashes, a journal that fails. After \
            every event the protocol's promises are checked. The same seed is always the same run.

            Seeds 0 to 999, as many at once as there are processors, and others:

              swift run -c release Simulate --seeds 1000
              swift run -c release Simulate --seeds '1000..<2000'

            One run with its trace; if it fails, the shortest run that fails in the same way:

              swift run -c release Simulate --seed 42
              swift run -c release Simulate --seed 42 --shrink

            With a journal on a temporary file, as servers have it:

              swift run -c release Simulate --seeds 1000 --journal sqlite

            Several servers that share the room, and clients that go from one to another:

              swift run -c release Simulate --seeds 1000 --journal nats

            Exit status: 0 if every promise held; 1 if one was broken (the seeds are printed as \
            they fail); 64 if the arguments are wrong.
            """)

    @Option(help: "One seed, which is run with a readable log.")
    var seed: UInt64?

    @Option(help: "How many seeds, or which: N or A..<B.")
    var seeds: SeedRange?

    @Option(help: "How many operations a run has, if not what its seed says.")
    var steps: Int?

    @Option(help: "How many clients take part, if not what the seed says.")
    var clients: Int?

    @Option(
        help: ArgumentHelp(
            "The simulated server's journal: in memory, where it can lose entries, or SQLite on a "
                + "temporary file, which each start finds as a crash left it; or NATS JetStream, simulated, "
                + "which several servers share."))
    var journal = SimulatedJournal.memory

    @Flag(help: "Shrink a run that fails, and print the shortest one.")
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
            let search = SeedSearch(simulation, seeds.seeds, stopsAtFirst: first)
            if await search.run() > 0 { throw ExitCode(1) }
        }
    }

    private func show(_ seed: UInt64, _ simulation: Simulation) throws {
        let report =
            shrink ? simulation.shrunk(seed: seed) : simulation.run(seed: seed, tracing: true)
        for line in report.trace { printNow(line) }
        printNow(
            "Seed \(seed): clients \(report.clients), steps \(report.steps), "
                + "events \(report.events), actions \(report.actions), in \(report.duration); "
                + "trace \(String(report.digest, radix: 16))")
        guard let violation = report.violation else { return }
        printNow("Seed \(seed): \(violation)")
        throw ExitCode(1)
    }
}

/// Seeds as one writes them: `1000` for the first thousand, or `1000..<2000`.
struct SeedRange: ExpressibleByArgument {
    let seeds: Range<UInt64>

    init?(argument: String) {
        guard let dots = argument.firstRange(of: "..<") else {
            guard let count = UInt64(argument), count > 0 else { return nil }
            seeds = 0..<count
            return
        }
        guard let first = UInt64(argument[..<dots.lowerBound]),
            let end = UInt64(argument[dots.upperBound...]), first < end
        else { return nil }
        seeds = first..<end
    }
}

/// Writes a line without buffering it, so that it isn't lost if a later seed ends the process.
func printNow(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
