/// What became of a journal's entry when it was reduced again.
package struct ReplayedEntry: Equatable, Sendable {
    package var offset: UInt64
    /// The room's version behind it.
    package var version: UInt64
    package var outcome: EntryOutcome
}
