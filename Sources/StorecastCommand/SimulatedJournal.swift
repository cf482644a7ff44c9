import ArgumentParser
package import StorecastSimulation

/// What keeps a simulated server's room.
package enum SimulatedJournal: String, ExpressibleByArgument, CaseIterable {
    case memory, sqlite

    /// A simulation of the bank on it.
    package var simulation: Simulation {
        switch self {
        case .memory: .bank
        case .sqlite:
            .bank { seed in
                let file = SimulatedFile(seed: seed)
                return { file.open() }
            }
        }
    }
}
