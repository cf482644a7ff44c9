import Testing

struct SimulationTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `the promises hold whatever happens`(_ group: UInt64) {
        for seed in group * 50..<group * 50 + 50 {
            Simulation(seed: seed).run(steps: 500)
        }
    }
}
