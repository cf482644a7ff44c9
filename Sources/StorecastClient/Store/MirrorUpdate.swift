import StorecastSync

/// What has become of a mirror, decoded.
struct MirrorUpdate<State: Sendable>: Sendable {
    var state: State?
    var position: Position?
    var problem: Rejection?
}
