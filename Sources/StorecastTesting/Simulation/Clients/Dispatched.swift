import StorecastSync
import StorecastWire

/// A dispatch of a simulated client, and what is known of how it ended.
struct Dispatched {
    /// What it is to be in the journal, if middleware leaves it alone.
    let recorded: JournalRecord.RecordedAction
    /// The action as optimistic mirrors show it; nil if its type isn't known.
    var action: (any SyncAction)?
    var outcome: DispatchOutcome
    /// The connection on which it was made; nil if there was none, or by a process before.
    var connection: Int?
    /// Its outcome has been seen and found right, or nobody waits for it any more.
    var isChecked = false
    /// What an earlier process was told.
    var told: Result<Position, Rejection>?
}
