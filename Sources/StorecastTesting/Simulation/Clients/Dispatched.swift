import StorecastSync

/// A dispatch of a simulated client, and what is known of how it ended.
struct Dispatched {
    /// What it is to be in the journal, if middleware leaves it alone.
    let recorded: JournalRecord.RecordedAction
    let outcome: DispatchOutcome
    /// Its outcome has been seen and found right.
    var isChecked = false
}
