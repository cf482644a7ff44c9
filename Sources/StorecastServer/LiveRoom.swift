public import Storecast
public import StorecastRoom

/// A room of a running server, for the server's own code: timers, webhooks, tests.
///
/// A handle that may be copied and used from anywhere; the room itself lives on its loop.
public struct LiveRoom<State: Codable & Sendable>: Sendable {
    private let home: ServerLoop
    private let path: String

    init(_ path: String, on home: ServerLoop) {
        self.path = path
        self.home = home
    }

    /// Dispatches an action through middleware and journal, like a client's.
    ///
    /// `validate` is asked, with `sender`; rules aren't, as only the server's own code dispatches
    /// here. While the journal can't take actions it waits, in order, and is appended
    /// later. The outcome is a rejection with code `busy` if more waits than
    /// `SyncLimits.waitingBytes`, where each counts as 1 KiB, and `closed` if the server stops
    /// before it is known.
    ///
    /// - Parameters:
    ///   - action: one of the types in the room's definition.
    ///   - sender: who the action's stamp says it is from: the server, or the user for whom a
    ///     webhook speaks.
    @discardableResult
    public func dispatch(_ action: any SyncAction, as sender: Identity = .server) -> Dispatch {
        let outcome = DispatchOutcome()
        let path = path
        home.perform { core in
            guard !core.rooms.isStopping, let room = core.rooms.usedRoom(path) as? Room<State>
            else {
                return outcome.settle(
                    .failure(Rejection(.closed, "The room is closed.")))
            }
            room.dispatch(action, as: sender, outcome)
        }
        return Dispatch(outcome)
    }

    /// Runs `body` with the room's store, on its loop: the only way to it. Keep it short, as the
    /// loop waits.
    ///
    /// `store.dispatch` in it goes through the journal too, so its effect comes after `body`; its
    /// sender is `Identity.server`.
    ///
    /// - Throws: what `body` throws, or a ``ServerError`` with code `journalUnreadable` if the room
    ///   had left memory and can't be read again. While the journal only can't be reached it waits,
    ///   until the server stops: `notRunning`.
    public func withStore<Result: Sendable>(
        _ body: @Sendable (Store<State>) throws -> Result
    ) async throws -> Result {
        try await home.withRoom(path) { (room: Room<State>) in try body(room.store) }
    }

    /// The room's history and how many dispatches of it are reduced; throws as
    /// ``withStore(_:)`` does.
    public var position: Position {
        get async throws {
            try await home.withRoom(path) { (room: Room<State>) in room.position }
        }
    }
}
