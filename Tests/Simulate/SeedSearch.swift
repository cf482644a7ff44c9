import Foundation
import StorecastSimulation

/// Runs many seeds, as many at once as there are processors, and prints those that fail.
struct SeedSearch: Sendable {
    private let simulation: Simulation
    private let seeds: Range<UInt64>
    private let stopsAtFirst: Bool

    init(_ simulation: Simulation, _ seeds: Range<UInt64>, stopsAtFirst: Bool) {
        self.simulation = simulation
        self.seeds = seeds
        self.stopsAtFirst = stopsAtFirst
    }

    /// Returns how many seeds failed.
    func run() async -> Int {
        let start = ContinuousClock.now
        var done: UInt64 = 0
        var failures = 0
        var next = seeds.lowerBound
        await withTaskGroup(of: [SimulationReport].self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                addBlock(to: &group, &next)
            }
            for await reports in group {
                done += UInt64(reports.count)
                for report in reports {
                    guard let violation = report.violation else { continue }
                    failures += 1
                    printNow("Seed \(report.seed): \(violation)")
                }
                if stopsAtFirst, failures > 0 { break }
                addBlock(to: &group, &next)
                showProgress(done, since: start)
            }
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        printNow("\(done) seeds in \(Int(time)) s, \(failures) failed.")
        return failures
    }

    private func addBlock(
        to group: inout TaskGroup<[SimulationReport]>, _ next: inout UInt64
    ) {
        guard next < seeds.upperBound else { return }
        let block = next..<min(next + 20, seeds.upperBound)
        next = block.upperBound
        group.addTask { [simulation] in block.map { simulation.run(seed: $0) } }
    }

    private func showProgress(_ done: UInt64, since start: ContinuousClock.Instant) {
        guard done % 5000 < 20, done < UInt64(seeds.count) else { return }
        let rate = Double(done) / ((ContinuousClock.now - start) / .seconds(1))
        let line = "\(done) of \(seeds.count) seeds, \(Int(rate)) a second\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
