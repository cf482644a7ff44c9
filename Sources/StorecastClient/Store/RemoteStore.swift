public import Observation
public import Storecast
import StorecastMirror
public import StorecastSync

/// A live mirror of one selection of a room, and a store itself.
///
/// ```swift
/// let summary = RemoteStore(Board.summary, on: connection)
/// summary.subscribe(printer) { $0.select(\.cards).skipRepeats() }
/// let position = try await summary.dispatch(AddCard(text: "Hi")).outcome
/// ```
/// In SwiftUI a view has it in one line, as its `state` is tracked by Observation:
/// ```swift
/// @State var total = RemoteStore(Counter.total, on: connection)
/// ```
/// Not `Sendable`: it belongs to the actor on which it was made, and all its subscribers are called
/// there. Mirrors of one connection that belong to one actor move together: when a subscriber is
/// called, all of them are at the same version. Equal selections on one connection share a
/// subscription to the server.
///
/// An *optimistic* store shows actions before the server has answered. One of a part of the state
/// takes the room's own reducer, any other a reducer of its selection:
/// ```swift
/// let total = RemoteStore(Counter.total, on: connection, optimistic: Counter.room)
/// let chat = RemoteStore(Board.chat, on: connection) { messages, action in
///     if let say = action as? Say { messages.append(ChatMessage(say)) }
/// }
/// ```
/// A dispatch through it shows before `dispatch` returns, and soon in every other optimistic store
/// of the connection. When the server's value moves, the actions that aren't in it yet are run on
/// it again, in order: each is shown once at any moment. A rejected one is gone before its outcome
/// is told. So the reducer runs often, for every action of the connection, and must be
/// deterministic; one that guesses wrong is put right by the server's value.
public final class RemoteStore<State: Codable & Equatable & Sendable>: MirrorStoreType, Observable {
    /// The connection that it mirrors through and dispatches to.
    public let connection: RemoteConnection
    /// Runs before an action is sent, in this order. Changing it rebuilds the chain.
    public var middleware: [Middleware<State>] = [] {
        didSet { chain = makeChain() }
    }

    /// The server's last value.
    var current = MirrorUpdate<State>()
    /// What is shown: the server's value, and in an optimistic store pending actions on it.
    var shown: State?
    var optimistic: OptimisticValue<State>?
    let registrar = ObservationRegistrar()
    let subscriptions = SubscriptionList<State>()
    let followers = Followers<State>()
    private var handle: MirrorHandle?
    private var chain: DispatchFunction = { _ in }
    private var lastDispatch: Dispatch?
    var isChanged = false

    /// Mirrors a selection with parameters.
    ///
    /// - Parameters:
    ///   - selection: what is mirrored, as the room's module declares it.
    ///   - parameters: what the selection's closure is given.
    ///   - connection: to the room that has it.
    ///   - optimistic: what actions do to the selection's value; nil to wait for the server. It
    ///     leaves actions alone that it doesn't know.
    ///   - isolation: the actor that makes the store and owns it from then on. In the default value
    ///     of a property Swift passes none; that is the main actor's, and a programming error
    ///     elsewhere. Another actor makes its stores in a method: in its own `init`, Swift 6.3
    ///     passes something else here.
    public convenience init<Root, Parameters>(
        _ selection: Selection<Root, Parameters, State>, _ parameters: Parameters,
        on connection: RemoteConnection, optimistic: InPlaceReducer<State>? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) {
        self.init(
            selection.name, Result { try JSONCoding.encodeTree(parameters) }.map(Optional.some),
            connection, optimistic, isolation)
    }

    /// Mirrors a selection without parameters.
    public convenience init<Root>(
        _ selection: Selection<Root, NoParameters, State>, on connection: RemoteConnection,
        optimistic: InPlaceReducer<State>? = nil, isolation: isolated (any Actor)? = #isolation
    ) {
        self.init(selection.name, .success(nil), connection, optimistic, isolation)
    }

    /// Mirrors a part of the room's state, and shows at once what the room's reducer does to it.
    ///
    /// ```swift
    /// let total = RemoteStore(Counter.total, on: connection, optimistic: Counter.room)
    /// ```
    /// What the reducer reads of other parts is as in a new room: where that makes it guess wrong,
    /// the server's value puts it right. A selection that isn't declared with `part:` is a
    /// programming error here.
    public convenience init<Root>(
        _ selection: Selection<Root, NoParameters, State>, on connection: RemoteConnection,
        optimistic room: RoomDefinition<Root>, isolation: isolated (any Actor)? = #isolation
    ) {
        self.init(
            selection.name, .success(nil), connection, room.reducer(of: selection), isolation)
    }

    init(
        _ name: String, _ parameters: Result<JSON?, any Error>, _ connection: RemoteConnection,
        _ optimistic: InPlaceReducer<State>?, _ isolation: (any Actor)?
    ) {
        self.connection = connection
        self.optimistic = optimistic.map { OptimisticValue($0) }
        chain = makeChain()
        switch parameters {
        case .success(let parameters): follow(name, parameters, Self.owner(isolation))
        case .failure(let error):
            current.problem = Rejection(
                .invalidParameters, "The parameters can't be written as JSON.", detail: "\(error)")
        }
    }

    /// The selection's value; nil until the first has come.
    public var state: State? {
        registrar.access(self, keyPath: \.state)
        return shown
    }

    /// The value as ``/Storecast/StoreType`` sees it.
    public var mirroredState: State? { state }

    /// The newest position of which ``state`` is known to be the selection's value.
    public var position: Position? {
        registrar.access(self, keyPath: \.position)
        return current.position
    }

    /// Whether the server keeps the store up to date now. False for a value from a
    /// ``RemoteConnection/Cache`` that the server hasn't confirmed, while there is no connection,
    /// and if there is a ``problem``.
    public var isLive: Bool {
        registrar.access(self, keyPath: \.isLive)
        return current.isLive
    }

    /// Why the server sends nothing: the selection is unknown, forbidden, or the connection closed.
    public var problem: Rejection? {
        registrar.access(self, keyPath: \.problem)
        return current.problem
    }

    /// The state now, if there is one, and every later one; newest first: a slow reader skips
    /// states. Ends with the store.
    public var states: AsyncStream<State> { followers.follow(from: shown) }

    // MARK: Dispatch

    /// Sends an action through the middleware to the server.
    ///
    /// The answer is discardable; wait for its `outcome` to know what became of the action. An
    /// action that middleware stops has the outcome `invalid`.
    @discardableResult
    public func dispatch(_ action: any SyncAction) -> Dispatch {
        let outer = lastDispatch
        lastDispatch = nil
        chain(action)
        defer { lastDispatch = outer }
        if let lastDispatch { return lastDispatch }
        let outcome = DispatchOutcome()
        outcome.settle(
            .failure(Rejection(.invalid, "Middleware did not pass the action on.")))
        return Dispatch(outcome)
    }

    /// As ``dispatch(_:)-(SyncAction)``, for code that knows stores only; an action that isn't a
    /// ``/StorecastSync/SyncAction`` is a programming error unless middleware takes it.
    public func dispatch(_ action: any Action) {
        chain(action)
    }

    /// The whole chain: the middleware in order, then the connection.
    public var dispatchFunction: DispatchFunction! { chain }

    private func makeChain() -> DispatchFunction {
        let end: DispatchFunction = { [unowned self] action in
            guard let action = action as? any SyncAction else {
                preconditionFailure(
                    "A RemoteStore dispatches SyncActions; \(type(of: action)) is none.")
            }
            let (dispatch, pending) = connection.submit(action)
            lastDispatch = dispatch
            if let pending { show(pending) }
        }
        return middleware.reversed().reduce(end) { next, middleware in
            middleware(
                { [unowned self] in dispatchBeside($0) }, { [unowned self] in shown })(
                    next)
        }
    }

    /// For dispatches by middleware: their outcome is the answer only if the action itself has
    /// none.
    private func dispatchBeside(_ action: any Action) {
        let outer = lastDispatch
        chain(action)
        if let outer { lastDispatch = outer }
    }

    // MARK: Subscriptions

    /// Subscribes to the whole state; `newState` is called at once if there is one.
    public func subscribe<Subscriber: StoreSubscriber>(_ subscriber: Subscriber)
    where Subscriber.StoreSubscriberStateType == State {
        subscriptions.subscribe(
            subscriber, transform: nil, skipsRepeats: true, current: shown)
    }

    /// Subscribes to what `transform` makes of the state, as on a local store.
    public func subscribe<Selected, Subscriber: StoreSubscriber>(
        _ subscriber: Subscriber, transform: ((Subscription<State>) -> Subscription<Selected>)?
    ) where Subscriber.StoreSubscriberStateType == Selected {
        subscriptions.subscribe(
            subscriber, transform: transform, skipsRepeats: true, current: shown)
    }

    /// Ends a subscription.
    public func unsubscribe(_ subscriber: any AnyStoreSubscriber) {
        subscriptions.unsubscribe(subscriber)
    }

    // MARK: The mirror

    private static func owner(_ isolation: (any Actor)?) -> any Actor {
        if let isolation { return isolation }
        MainActor.preconditionIsolated(
            "Make a RemoteStore on the actor that uses it, such as the main actor.")
        return MainActor.shared
    }

    private func follow(_ name: String, _ parameters: JSON?, _ owner: any Actor) {
        let id = connection.deliveries.nextID()
        let deliveries = connection.deliveries.deliveries(to: owner)
        deliveries.add(self, id, on: owner)
        if isOptimistic {
            connection.deliveries.wantsPending = true
            optimistic?.take(nil, connection.pendingActions)
        }
        handle = MirrorHandle(connection, id: id)
        connection.perform { core in
            let reader = MirrorReader<State>()
            core.observe(name, parameters, as: id) { mirror in
                deliveries.post(reader.read(mirror), for: id)
            }
        }
    }
}

extension RemoteStore where State == JSON {
    /// Mirrors a selection by its name, for programs that don't have its declaration.
    ///
    /// - Parameters:
    ///   - name: the selection's, on the wire.
    ///   - parameters: nil for a selection without any.
    ///   - connection: to the room that has it.
    ///   - isolation: the actor that makes the store and owns it from then on.
    public convenience init(
        selection name: String, parameters: JSON?, on connection: RemoteConnection,
        isolation: isolated (any Actor)? = #isolation
    ) {
        self.init(name, .success(parameters), connection, nil, isolation)
    }
}

/// A remote store's use of its mirror; ends with the store, on any thread.
final class MirrorHandle: Sendable {
    private let connection: RemoteConnection
    private let id: UInt64

    init(_ connection: RemoteConnection, id: UInt64) {
        self.connection = connection
        self.id = id
    }

    deinit {
        let id = id
        connection.perform { $0.endObserving(as: id) }
    }
}
