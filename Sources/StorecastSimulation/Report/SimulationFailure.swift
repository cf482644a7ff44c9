/// A simulation that broke a promise, as short as it could be made.
public struct SimulationFailure: Error, CustomStringConvertible {
    /// The run that broke it, with its trace.
    public let report: SimulationReport
    let violation: Violation

    /// Which seed broke what, and the end of the shortest run that does.
    public var description: String {
        let shown = report.trace.suffix(60)
        let omitted = report.trace.count - shown.count
        return
            ([
                "Seed \(report.seed): \(violation)",
                "The shortest run that fails alike, of \(report.steps) steps"
                    + (omitted > 0
                        ? " (its last \(shown.count) lines of \(report.trace.count)):" : ":"),
            ] + shown).joined(separator: "\n")
    }
}
