/// What a store has to know about the batches that are open.
struct Batch {
    /// How many are open, one within the other.
    var depth = 0
    /// Selections were evaluated for a newcomer, so others may be owed a value.
    var isEvaluated = false
    /// What led to the newest state; nil if it came without an action.
    var newestAction: (any Action)?
}
