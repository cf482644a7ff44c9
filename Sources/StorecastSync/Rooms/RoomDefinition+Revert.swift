extension RoomDefinition {
    /// The action, if it is a revert of a room that takes them.
    func revert(_ action: any SyncAction) -> RevertTo<State>? {
        // Comparing types costs less than a cast that fails, as it does for most actions.
        guard restore != nil, type(of: action) == RevertTo<State>.self else { return nil }
        return action as? RevertTo<State>
    }

    /// Lets the room's state be made again what it was: it takes ``RevertTo`` from the server's own
    /// code, and from whom a later `authorize(RevertTo<State>.self)` lets through.
    ///
    /// - Parameter restore: puts the state of then in place of the present one. Deterministic, as a
    ///   reducer is. Replace it to keep parts that aren't to be undone, such as who is present.
    public func revertible(
        restoring restore: @escaping @Sendable (_ state: inout State, _ then: State) -> Void = {
            $0 = $1
        }
    ) -> Self {
        var room = self
        room.restore = restore
        room.actions.add(RevertTo<State>.self)
        return
            room
            .authorize(RevertTo<State>.self) { _, _ in
                throw Rejection(.forbidden, "Only the server reverts this room.")
            }
            .validate(RevertTo<State>.self) { _, revert, _ in
                guard revert.state != nil else {
                    throw Rejection(
                        .invalid, "The state of then is missing.",
                        detail: "Dispatch it on the room, not on its store.")
                }
            }
    }
}
