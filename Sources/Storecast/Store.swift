/// A state that changes by actions only, and tells its subscribers.
///
/// ```swift
/// let store = Store(state: 0) { count, action in
///     if let increase = action as? Increase { count += increase.by }
/// }
/// store.dispatch(Increase())
/// ```
///
/// A store isn't Sendable: it belongs to the actor or thread that made it, takes no lock and never
/// leaves that thread. When ``dispatch(_:)-(Action)`` returns, the action has been reduced and,
/// unless the call came from a subscriber, everyone has been told.
public final class Store<State>: StoreType {
    /// The current state. Nil only if the store was made without a state and a middleware stopped
    /// ``ReSwiftInit``. O(1).
    public var state: State! { box?.value }

    /// What actions pass before the reducer, in this order. Changing it rebuilds the chain.
    public var middleware: [Middleware<State>] {
        didSet { rebuildChain() }
    }

    /// The whole chain: the middleware in order, then the reducer.
    ///
    /// It can be replaced, by a store enhancer for instance, until ``middleware`` changes the next
    /// time.
    public var dispatchFunction: DispatchFunction! {
        get { chain }
        set {
            chain = newValue
            reachesEndDirectly = false
        }
    }

    package let subscriptions = SubscriptionList<State>()
    let automaticallySkipsRepeats: Bool
    /// One of the two is there. An enumeration of both would cost a metadata lookup a dispatch.
    private let reducer: Reducer<State>?
    private let inPlaceReducer: InPlaceReducer<State>?
    /// Nil until there is a state.
    private(set) var box: StateBox<State>?
    private var isReducing = false
    /// The subscribers haven't heard of the newest state.
    private var isUnannounced = false
    private var batch = Batch()
    #if DEBUG
        private let occupancy = Occupancy()
    #endif
    /// Takes the actions at the end of the chain in place of the reducer.
    private var interceptor: DispatchFunction?
    private var chain: DispatchFunction!
    /// There is nothing between `dispatch` and the end of the chain.
    private var reachesEndDirectly = false

    /// Makes a store with a reducer of ReSwift's form.
    ///
    /// - Parameters:
    ///   - reducer: makes the next state.
    ///   - state: the first state; if nil, ``ReSwiftInit`` is dispatched and the reducer supplies
    ///     it.
    ///   - middleware: what actions pass before the reducer, in this order.
    ///   - automaticallySkipsRepeats: whether subscribers with an Equatable selection, or to the
    ///     whole of an Equatable state, are left alone when it is equal to what they last got.
    public init(
        reducer: @escaping Reducer<State>, state: State?, middleware: [Middleware<State>] = [],
        automaticallySkipsRepeats: Bool = true
    ) {
        self.reducer = reducer
        self.inPlaceReducer = nil
        self.box = state.map { StateBox($0) }
        self.middleware = middleware
        self.automaticallySkipsRepeats = automaticallySkipsRepeats
        rebuildChain()
        if state == nil {
            dispatch(ReSwiftInit())
        }
    }

    /// Makes a store with a reducer that changes the state in place.
    ///
    /// - Parameters:
    ///   - state: the first state.
    ///   - middleware: what actions pass before the reducer, in this order.
    ///   - automaticallySkipsRepeats: whether subscribers with an Equatable selection, or to the
    ///     whole of an Equatable state, are left alone when it is equal to what they last got.
    ///   - reducer: changes the state.
    public init(
        state: State, middleware: [Middleware<State>] = [], automaticallySkipsRepeats: Bool = true,
        reducer: @escaping InPlaceReducer<State>
    ) {
        self.reducer = nil
        self.inPlaceReducer = reducer
        self.box = StateBox(state)
        self.middleware = middleware
        self.automaticallySkipsRepeats = automaticallySkipsRepeats
        rebuildChain()
    }

    /// Sends an action through the middleware to the reducer and then tells the subscribers.
    ///
    /// Allowed from middleware and subscribers. A reducer that dispatches ends the program with a
    /// message that names the action. Beside the reducer it costs one evaluation and comparison for
    /// each different key path subscribed to and for each subscriber with a closure of its own.
    public func dispatch(_ action: any Action) {
        #if DEBUG
            occupancy.occupy(for: action) { send(action) }
        #else
            send(action)
        #endif
    }

    private func send(_ action: any Action) {
        if reachesEndDirectly {
            finish(action)
        } else {
            chain(action)
        }
    }

    /// Runs `body` and tells the subscribers once, when it has ended, whatever it dispatches.
    ///
    /// ```swift
    /// store.batch {
    ///     for card in cards { store.dispatch(AddCard(card)) }
    /// }
    /// ```
    ///
    /// Each action is reduced at once, and `body` sees the state change. Who subscribes in it gets
    /// the state of that moment. A batch within another belongs to it: its end tells nobody. What
    /// was dispatched before `body` throws stays, and is told. Must not be called by a reducer.
    public func batch<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        requireIdle("A batch")
        batch.depth += 1
        subscriptions.isHeld = true
        defer { endBatch() }
        return try body()
    }

    /// Subscribes to the whole state; see ``StoreType/subscribe(_:)``.
    ///
    /// Of an Equatable state the last one delivered is kept to compare with, so a reducer that
    /// works in place copies what it changes. Select a part, and only that part can be copied.
    public func subscribe<Subscriber: StoreSubscriber>(_ subscriber: Subscriber)
    where Subscriber.StoreSubscriberStateType == State {
        subscribe(subscriber, transform: nil)
    }

    /// Subscribes to what `transform` makes of the state; see
    /// ``StoreType/subscribe(_:transform:)``.
    ///
    /// O(1), and one evaluation of the selection.
    public func subscribe<Selected, Subscriber: StoreSubscriber>(
        _ subscriber: Subscriber,
        transform: ((Subscription<State>) -> Subscription<Selected>)?
    ) where Subscriber.StoreSubscriberStateType == Selected {
        prepareForSubscription()
        subscriptions.subscribe(
            subscriber, transform: transform, skipsRepeats: automaticallySkipsRepeats,
            current: box?.value)
    }

    /// Ends the subscription of `subscriber`; see ``StoreType/unsubscribe(_:)``. O(1).
    public func unsubscribe(_ subscriber: any AnyStoreSubscriber) {
        requireSameThread()
        subscriptions.unsubscribe(subscriber)
    }

    /// Has the newest state evaluated, which a newcomer is about to get.
    func prepareForSubscription() {
        requireSameThread()
        if batch.depth == 0 {
            announce()
        } else if isUnannounced, let box {
            isUnannounced = false
            batch.isEvaluated = true
            subscriptions.update(box.value)
        }
    }

    /// In debug builds ends the program if another thread is dispatching.
    func requireSameThread() {
        #if DEBUG
            occupancy.requireFree()
        #endif
    }

    private func endBatch() {
        batch.depth -= 1
        if batch.depth > 0 { return }
        subscriptions.isHeld = false
        let (isEvaluated, action) = (batch.isEvaluated, batch.newestAction)
        batch = Batch()
        if isUnannounced {
            announce(after: action)
        } else if isEvaluated {
            subscriptions.deliver(after: action)
        }
    }

    private func rebuildChain() {
        // Weak: middleware and whoever reads `dispatchFunction` may keep these closures for longer
        // than the store lives.
        let dispatch: DispatchFunction = { [weak self] action in self?.dispatch(action) }
        let getState: () -> State? = { [weak self] in self?.state }
        var next: DispatchFunction = { [weak self] action in self?.finish(action) }
        for link in middleware.reversed() {
            next = link(dispatch, getState)(next)
        }
        chain = next
        reachesEndDirectly = middleware.isEmpty
    }

    /// Apart from `reduce`, which would else pay for this optional when it reduces in place.
    @inline(never)
    private func reduce(_ action: any Action, by reducer: Reducer<State>) {
        if let box {
            box.value = reducer(action, box.value)
        } else {
            box = StateBox(reducer(action, nil))
        }
    }

    /// The end of the chain.
    private func finish(_ action: any Action) {
        if let interceptor {
            requireIdle(action)
            interceptor(action)
        } else {
            reduce(action)
            announce(after: action)
        }
    }

    func requireIdle(_ action: @autoclosure () -> Any) {
        guard isReducing || subscriptions.isEvaluating else { return }
        let activity = isReducing ? "another action was being reduced" : "a selection was evaluated"
        // fatalError and not a precondition: the message must show in release builds too.
        fatalError(
            """
            \(action()) was dispatched while \(activity): reducers, selectors and predicates must \
            not dispatch, and no two threads may use one store.
            """)
    }
}

// What the synchronised rooms and mirrors build on.
extension Store {
    /// Puts `sink` in the place of the innermost link of the dispatch chain, which normally reduces
    /// the action and tells the subscribers; nil puts that back.
    ///
    /// Whoever intercepts gives the actions, once they may take effect, to ``commit(_:)``.
    package func interceptDispatch(_ sink: DispatchFunction?) {
        interceptor = sink
    }

    /// Whether somebody intercepts.
    package var isIntercepted: Bool { interceptor != nil }

    /// Whether a dispatch goes to the end of the chain at once: there is no middleware, and nobody
    /// has replaced the chain.
    package var dispatchesDirectly: Bool { reachesEndDirectly }

    /// Reduces the actions in order, then tells the subscribers once.
    ///
    /// They don't pass through the middleware or an interceptor. Does nothing if there are none.
    /// Must not be called by a reducer.
    package func commit(_ actions: some Sequence<any Action>) {
        var last: (any Action)?
        for action in actions {
            reduce(action)
            last = action
        }
        announce(after: last)
    }

    /// Reduces one action and leaves the subscribers to ``announce(after:)``.
    ///
    /// For a caller that looks at the state between the actions of a batch. Must not be called by
    /// a reducer.
    package func reduce(_ action: any Action) {
        requireIdle(action)
        subscriptions.releaseState()
        isReducing = true
        if let inPlaceReducer, let box {
            inPlaceReducer(&box.value, action)
        } else if let reducer {
            reduce(action, by: reducer)
        }
        isReducing = false
        isUnannounced = true
    }

    /// Tells the subscribers about the newest state, unless they know it or a batch is open.
    ///
    /// - Parameter action: what led to it, for the subscribers that ask.
    package func announce(after action: (any Action)? = nil) {
        guard isUnannounced, let box else { return }
        if batch.depth > 0 {
            batch.newestAction = action
            return
        }
        isUnannounced = false
        if subscriptions.isEmpty { return }
        // The state isn't held beyond `update`: a subscriber may dispatch, and that must not copy.
        subscriptions.update(box.value)
        subscriptions.deliver(after: action)
    }

    /// Puts another state in the place of this one and tells the subscribers: for roll-back and
    /// recovery. Must not be called by a reducer.
    package func replaceState(_ state: State) {
        placeState(state)
        announce()
    }

    /// Puts another state in the place of this one and leaves the subscribers to ``announce()``:
    /// for a caller that goes on from there with ``reduce(_:)``. Must not be called by a reducer.
    package func placeState(_ state: State) {
        requireIdle("A state")
        if let box { box.value = state } else { box = StateBox(state) }
        isUnannounced = true
    }

    /// Runs `body` on the state, which it must not keep, without making a copy for it to own.
    ///
    /// There must be a state, and `body` must not dispatch.
    package func withState<Result>(_ body: (borrowing State) throws -> Result) rethrows -> Result {
        try body(box!.value)
    }
}
