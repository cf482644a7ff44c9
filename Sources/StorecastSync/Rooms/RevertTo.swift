/// Makes a room's state again what it was at an earlier version, as a new action in its log.
///
/// ```swift
/// let board = Board.room.revertible()
///     .authorize(RevertTo<Board>.self) { _, sender in … }
/// lobby.dispatch(RevertTo<Board>(version: 12))
/// ```
/// Nothing is rewritten: what came since stays in the log, the room's version goes up, and it can
/// be reverted too. The room takes it if its definition says
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
