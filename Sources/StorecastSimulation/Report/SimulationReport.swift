/// The result of one simulation.
public struct SimulationReport: Sendable {
    /// The seed of the run.
    public let seed: UInt64
    /// What was broken first, or nil.
    public let violation: Violation?
    /// A hash of the trace: it differs when anything differs between two runs.
    public let digest: UInt64
    /// What happened, a line each, if that was asked for.
    public let trace: [String]
    /// How many clients took part.
    public let clients: Int
    /// How many operations the scenario had.
    public let steps: Int
    /// How many events there were.
    public let events: Int
    /// How many entries the journal kept.
    public let actions: Int
    /// How long it took in virtual time.
    public let duration: Duration
}

/// A simulation that broke a promise, as short as it could be made.
public struct SimulationFailure: Error, CustomStringConvertible {
    /// The run that broke it, with its trace.
    public let report: SimulationReport
    let violation: Violation

    /// Which seed broke which promise, and the end of the shortest run that does.
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

/// A promise of the protocol, or a rule of the room, that a simulation found broken.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// What was broken: see `Docs/Protocol.md`, "Promises".
    public struct Promise: Sendable, Equatable, CustomStringConvertible {
        /// In words.
        public let description: String

        /// Every dispatch ends in exactly one outcome.
        public static let oneOutcome = Promise(description: "every dispatch ends in one outcome")
        /// Every action is reduced once, in its client's order, and what was acknowledged isn't
        /// lost.
        public static let once = Promise(description: "nothing is lost, nothing happens twice")
        /// The state is what the journal makes it, and nobody hears of what isn't in it.
        public static let durable = Promise(description: "the journal is the truth")
        /// A mirror shows only what its selection was at the mirror's version.
        public static let truth = Promise(description: "a mirror shows the truth")
        /// An optimistic mirror shows each pending action exactly once.
        public static let optimism = Promise(description: "pending actions are shown once")
        /// Versions only rise.
        public static let forward = Promise(description: "a mirror moves forward only")
        /// The mirrors of a connection show the same version.
        public static let together = Promise(description: "mirrors move together")
        /// Nobody can make the server hold more than its limits.
        public static let bounds = Promise(description: "what is held is bounded")
        /// Whoever keeps to the protocol is never told that it doesn't.
        public static let `protocol` = Promise(description: "both sides keep to the protocol")
        /// A client that lost a connection which held tries again within a quarter of a second, an
        /// edge within a tenth.
        public static let retry = Promise(description: "who was connected comes back soon")
        /// When nothing more goes wrong everything comes to an end.
        public static let rest = Promise(description: "everything comes to rest")

        /// A rule of the simulated room.
        static func rule(_ name: String) -> Promise { Promise(description: name) }
    }

    /// What was broken.
    public let promise: Promise
    /// What was seen.
    public let finding: String
    /// When, since the simulation began.
    public let time: Duration

    /// All of it in one sentence.
    public var description: String {
        let milliseconds = Int(time / .milliseconds(1))
        return "\(promise), but after \(Double(milliseconds) / 1000) seconds: \(finding)"
    }
}
