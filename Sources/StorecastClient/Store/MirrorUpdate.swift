import StorecastSync

/// What has become of a mirror, decoded.
struct MirrorUpdate<State: Sendable>: Sendable {
    var state: State?
    /// The last of the client's dispatches whose effects are in the state.
    var included: UInt64 = 0
    var position: Position?
    var problem: Rejection?
}
