/// Makes the stream of a plain store.
///
/// Subscribers are called in the order in which they subscribed. If one dispatches, those behind it
/// are shown the newest state only.
public func createSimpleStream<State>(_ state: State) -> StateStream<State> {
    let stream = SimpleStream(state)
    return StateStream(
        dispatch: { stream.publish($0) }, subscribe: { stream.subscribe($0) },
        getState: { stream.state })
}
