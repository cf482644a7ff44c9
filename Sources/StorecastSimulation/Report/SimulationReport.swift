/// What came of one simulation.
public struct SimulationReport: Sendable {
    /// The seed that it was made of.
    public let seed: UInt64
    /// What was broken first, or nil.
    public let violation: Violation?
    /// A number that any difference between two runs changes.
    public let digest: UInt64
    /// What happened, a line each, if that was asked for.
    public let trace: [String]
    /// How many clients took part.
    public let clients: Int
    /// How many steps the scenario had, besides what followed from them.
    public let steps: Int
    /// How many events there were.
    public let events: Int
    /// How many actions the journal kept.
    public let actions: Int
    /// How long it lasted in its own time.
    public let duration: Duration
}
