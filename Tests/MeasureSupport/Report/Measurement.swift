/// The results of several runs of one measurement.
package struct Measurement {
    private let sorted: [Double]

    /// At least one result.
    package init(_ results: [Double]) {
        precondition(!results.isEmpty, "A measurement needs a run.")
        sorted = results.sorted()
    }

    /// Measures `runs` times.
    package init(runs: Int, _ run: () throws -> Double) rethrows {
        self.init(try (0..<runs).map { _ in try run() })
    }

    /// The same results in another unit.
    package func scaled(by factor: Double) -> Measurement {
        Measurement(sorted.map { $0 * factor })
    }

    package var median: Double {
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    package var minimum: Double { sorted[0] }

    package var maximum: Double { sorted[sorted.count - 1] }
}
