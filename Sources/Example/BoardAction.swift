package import StorecastSync

/// Something that people do to a ``Board``: what it needs, when it is possible, and what it does.
package protocol BoardAction: SyncAction {
    /// Throws if the action can't be done to `board` as it is.
    ///
    /// `invalid` says that the action never makes sense, `conflict` that it doesn't any more,
    /// usually because someone else was faster.
    func check(_ board: Board, by sender: Identity) throws(Rejection)

    /// Does it. Deterministic; without effect where ``check(_:by:)`` would throw for a conflict.
    func apply(to board: inout Board)
}
