/// What became of a journal's entry when it was reduced again.
package struct ReplayedEntry: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case reduced
        /// Without effect; why isn't known if the client was forgotten at once.
        case rejected(Rejection?)
        /// It came a second time, and was passed over.
        case duplicate
    }

    package var offset: UInt64
    /// The room's version behind it.
    package var version: UInt64
    package var outcome: Outcome

    init(offset: UInt64, version: UInt64, _ outcome: Outcome) {
        self.offset = offset
        self.version = version
        self.outcome = outcome
    }
}
