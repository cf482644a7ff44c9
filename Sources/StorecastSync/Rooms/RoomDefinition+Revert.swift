/// Makes a room's state again what it was at an earlier version, as a new action in its journal.
///
/// ```swift
/// let board = Board.room.revertible()
///     .allow(RevertTo<Board>.self, .roles("owner"))
/// lobby.dispatch(RevertTo<Board>(version: 12))
/// ```
/// Nothing is rewritten: what came since stays in the journal, the room's version goes up, and it
/// can be reverted too. The room takes it if its definition says
/// ``RoomDefinition/revertible(restoring:)``. On the wire its name is `storecast.revert` and its
/// payload `{"version":12}`.
///
/// The server looks the state up in the journal, and its entry carries it: so a replay needs no
/// past that may be forgotten, and gives the same when reducers have changed. Until it is found, a
/// client's dispatch is rejected retryably and comes again by itself. A version that is no longer
/// kept, or not reached yet, is a final rejection.
public struct RevertTo<State: Codable & Sendable>: SyncAction {
    /// `storecast.revert`.
    public static var wireName: String { "storecast.revert" }

    /// The version whose state comes back.
    public var version: UInt64
    /// The state at that version; what a client sends here isn't taken.
    package var state: State?

    /// An action that asks for the state at `version`; 0 is that of a new room.
    public init(version: UInt64) {
        self.version = version
    }
}

extension RoomDefinition {
    /// The action, if it is a revert of a room that takes them.
    package func revert(_ action: any SyncAction) -> RevertTo<State>? {
        // Comparing types costs less than a cast that fails, as it does for most actions.
        guard restore != nil, type(of: action) == RevertTo<State>.self else { return nil }
        return action as? RevertTo<State>
    }

    /// Lets the room's state be made again what it was: it takes ``RevertTo`` from the server's own
    /// code, and from whom a later `allow(RevertTo<State>.self, …)` lets.
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
            .validate(RevertTo<State>.self) { _, revert, _ in
                guard revert.state != nil else {
                    throw Rejection(
                        .invalid, "The earlier state is missing.",
                        detail: "Dispatch it on the room, not on its store.")
                }
            }
    }
}
