/// The results of several runs of one measurement.
struct Measurement {
    private let sorted: [Double]

    /// At least one result.
    init(_ results: [Double]) {
        precondition(!results.isEmpty, "A measurement needs a run.")
        sorted = results.sorted()
    }

    /// Measures `runs` times.
    init(runs: Int, _ run: () throws -> Double) rethrows {
        self.init(try (0..<runs).map { _ in try run() })
    }

    /// The same results in another unit.
    func scaled(by factor: Double) -> Measurement {
        Measurement(sorted.map { $0 * factor })
    }

    var median: Double {
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    var minimum: Double { sorted[0] }

    var maximum: Double { sorted[sorted.count - 1] }
}
