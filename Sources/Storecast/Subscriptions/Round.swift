/// What the list of a store shares with the lists of its scopes: the round of notifications.
final class Round {
    var isDelivering = false
    /// A selector or a predicate is running, which must not change the state.
    var isEvaluating = false
    /// An update came during the round that is under way.
    var isOutdated = false
    /// A batch is open: who is owed a value gets it when the batch has ended.
    var isHeld = false
    /// Counts the subscriptions to the store and to all its scopes.
    var lastOrder: UInt64 = 0
    /// The newest action reduced during the round that is under way, while nobody was told of it.
    var newestAction: (any Action)?
}
