import StorecastTesting
import Testing

struct SimulationTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the promises hold whatever happens`(_ group: UInt64) {
        for seed in group * 50..<group * 50 + 50 {
            let report = Simulation.bank.run(seed: seed)
            #expect(report.violation == nil, "seed \(seed)")
        }
    }
}
