/// One question, and how its answer is measured.
@MainActor protocol Benchmark: SendableMetatype {
    /// What it is called on the command line.
    nonisolated static var name: String { get }
    /// The title of its table.
    nonisolated static var summary: String { get }
    static func run(_ scale: Scale, _ table: inout Table) async throws
}

/// How much is measured.
enum Scale {
    /// Enough to see that everything works; a few seconds a benchmark.
    case quick
    /// Enough for figures.
    case full

    /// The first when quick, else the second.
    func pick<Value>(_ quick: Value, _ full: Value) -> Value {
        switch self {
        case .quick: quick
        case .full: full
        }
    }

    /// How often each measurement is repeated.
    var runs: Int { pick(3, 7) }
}
