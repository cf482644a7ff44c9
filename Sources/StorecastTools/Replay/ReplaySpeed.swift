import ArgumentParser

/// How many times as fast as it happened something is played.
struct ReplaySpeed: ExpressibleByArgument, Equatable {
    /// Infinite for no waiting at all.
    var factor: Double

    /// Reads a number above 0, or `max`.
    init?(argument: String) {
        if argument == "max" {
            factor = .infinity
        } else {
            guard let factor = Double(argument), factor > 0 else { return nil }
            self.factor = factor
        }
    }

    init(_ factor: Double) {
        self.factor = factor
    }

    var defaultValueDescription: String { "\(factor)" }
}
