import ArgumentParser
import StorecastServer

/// Where `serve` keeps what happens.
enum JournalChoice: String, ExpressibleByArgument, CaseIterable {
    /// In memory.
    case none

    var provider: JournalProvider {
        switch self {
        case .none: .memory
        }
    }
}
