import StorecastMirror
import StorecastSync

/// All that a simulation is told to do, drawn from its seed beforehand.
///
/// A step draws what it needs from a seed of its own, so that a scenario with fewer steps does the
/// rest as before.
struct Scenario: Sendable {
    struct Step: Sendable {
        let time: Duration
        let seed: UInt64
        let deed: Deed
    }

    let seed: UInt64
    var clients: Int
    /// In the order of their times.
    var steps: [Step]
    var limits: SyncLimits
    /// How much a client keeps that isn't settled.
    var outbox: OutboxLimits
    /// Every so manieth client stores its outbox; none if 0.
    var storedOutboxes: Int
    /// The worst that a connection may be like.
    var weather: Weather
    /// The longest that each half of an append takes.
    var journalDelay: Duration
    /// Whether snapshots can't be written or read at times.
    var losesSnapshots: Bool
    /// The longest turn of the server.
    var turn: Duration
    /// The longest that the check of a token takes.
    var checking: Duration
    /// How many loops the server has: the room's, and others that hold connections too.
    var loops = 1
    /// The longest that a letter between loops takes.
    var letterDelay = Duration.zero
}
