public import Storecast
import StorecastMirror
public import StorecastSync

extension RemoteConnection {
    /// A connection that needs no server, for previews of views: it looks live.
    public static var preview: RemoteConnection { preview() }

    /// A connection that needs no server, for previews of views.
    ///
    /// It never connects. What is dispatched on it waits for ever; optimistic stores show it.
    ///
    /// - Parameters:
    ///   - status: as which it looks, until it is closed.
    ///   - room: as with other connections.
    ///   - identity: whom a server would take the client for.
    public static func preview(
        _ status: Status = .live, room: (any RoomDefinitionProtocol)? = nil,
        identity: Identity? = nil
    ) -> RemoteConnection {
        RemoteConnection(
            "ws://preview.invalid/", room: room, identity: identity, transport: .standard,
            random: SystemRandomNumberGenerator(), status: status)
    }
}

extension RemoteStore {
    /// A store with a value that needs no server, for previews of views.
    ///
    /// ```swift
    /// #Preview { CounterView(total: .preview(7)) }
    /// ```
    /// - Parameters:
    ///   - value: what it shows; nil as long as the server hasn't answered.
    ///   - connection: as which it looks, and where it dispatches to.
    ///   - optimistic: what actions do to the value, so that buttons work; nil for nothing.
    ///   - isolation: the actor that the store belongs to.
    public static func preview(
        _ value: State?, on connection: RemoteConnection = .preview,
        optimistic: InPlaceReducer<State>? = nil, isolation: isolated (any Actor)? = #isolation
    ) -> RemoteStore {
        let store = RemoteStore("preview", .success(nil), connection, optimistic, isolation)
        store.take(MirrorUpdate(state: value), nil)
        return store
    }
}
