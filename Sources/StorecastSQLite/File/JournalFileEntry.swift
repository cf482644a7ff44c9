package import StorecastRoom

/// An entry as a journal's file has it.
package struct JournalFileEntry: Equatable, Sendable {
    package var offset: UInt64
    /// Nil if it can't even be read as one.
    package var record: JournalRecord?
    /// Whether it is what was written behind the entry before it.
    package var isIntact: Bool
    /// Whether it is kept but rejected since, as reducing it ended the process.
    package var isSkipped = false
}
