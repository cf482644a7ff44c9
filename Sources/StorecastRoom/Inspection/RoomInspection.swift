package import StorecastWire

/// What there is to know of a room at one moment, without its state.
package struct RoomInspection: Sendable {
    package var position: Position
    /// `loading`, `ready` or `failed`.
    package var phase: String
    /// How many subscriptions each selection has.
    package var subscriptions: [ExactString: Int]
    /// How many versions the subscription that is the furthest behind has not been sent.
    package var lag: UInt64
    /// How many dispatches wait for the journal.
    package var waiting: Int
    /// What waits for the journal or is on its way to it, in bytes.
    package var waitingBytes: Int
    /// The types of the actions that clients may dispatch.
    package var actions: [String]
}
