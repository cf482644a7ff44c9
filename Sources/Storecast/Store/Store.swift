/// A state that changes only by actions, and notifies its subscribers.
///
/// ```swift
/// let store = Store(state: 0) { count, action in
///     if let increase = action as? Increase { count += increase.by }
/// }
/// store.dispatch(Increase())
/// ```
///
/// A store isn't Sendable: it belongs to the actor or thread that created it, takes no lock and
/// never leaves that thread. When ``dispatch(_:)-(Action)`` returns, the action has been reduced
/// and, unless a subscriber made the call, all subscribers have been notified.
public final class Store<State>: StoreType {
    /// The current state. Nil only if the store was created without a state and a middleware
    /// stopped ``ReSwiftInit``. O(1).
    public var state: State! { box?.value }

    /// What actions pass before the reducer, in this order. Changing it rebuilds the chain.
    public var middleware: [Middleware<State>] {
        didSet { rebuildChain() }
    }

    /// The whole chain: the middleware in order, then the reducer.
    ///
    /// It can be replaced, by a store enhancer for instance; the replacement lasts until
    /// ``middleware`` is changed.
    public var dispatchFunction: DispatchFunction! {
        get { chain }
        set {
            chain = newValue
            reachesEndDirectly = false
        }
    }

    package let subscriptions = SubscriptionList<State>()
    let automaticallySkipsRepeats: Bool
    /// Exactly one of the two reducers is set. An enumeration of both would cost a metadata lookup
    /// for each dispatch.
    private let reducer: Reducer<State>?
    private let inPlaceReducer: InPlaceReducer<State>?
    /// Nil until there is a state.
    private(set) var box: StateBox<State>?
    // Unchecked, as the next: what each dispatch reads and writes, and no access calls other code.
    @exclusivity(unchecked) private var isReducing = false
    /// Whether there is a newer state than the one the subscribers were notified of.
    @exclusivity(unchecked) private var isUnannounced = false
    private var batch = Batch()
    /// Replaces the reducer at the end of the chain, if set.
    private var interceptor: DispatchFunction?
    private var chain: DispatchFunction!
    /// Private, as accesses to variables that other modules can see are checked at run time.
    private var reachesEndDirectly = false
    #if DEBUG
        private let concurrentUse = ConcurrentUseCheck()
    #endif

    /// Creates a store with a reducer of ReSwift's form.
    ///
    /// - Parameters:
    ///   - reducer: makes the next state.
    ///   - state: the first state; if nil, ``ReSwiftInit`` is dispatched and the reducer supplies
    ///     it.
    ///   - middleware: what actions pass before the reducer, in this order.
    ///   - automaticallySkipsRepeats: whether subscribers with an Equatable selection, or to the
    ///     whole of an Equatable state, aren't notified when it equals what they last received.
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

    /// Creates a store with a reducer that changes the state in place.
    ///
    /// - Parameters:
    ///   - state: the first state.
    ///   - middleware: what actions pass before the reducer, in this order.
    ///   - automaticallySkipsRepeats: whether subscribers with an Equatable selection, or to the
    ///     whole of an Equatable state, aren't notified when it equals what they last received.
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

    /// Creates a store with several reducers, which change the state in place.
    ///
    /// The other parameters are those of the initializer with one reducer.
    public convenience init(
        state: State, middleware: [Middleware<State>] = [], automaticallySkipsRepeats: Bool = true,
        reducer: CombinedReducer<State>
    ) {
        self.init(
            state: state, middleware: middleware,
            automaticallySkipsRepeats: automaticallySkipsRepeats,
            reducer: reducer.callAsFunction)
    }

    // MARK: - Dispatching

    /// Sends an action through the middleware to the reducer, then notifies the subscribers.
    ///
    /// Middleware and subscribers may call it. A reducer that does ends the program with a message
    /// that names the action. Beside the reducer it costs one evaluation and comparison for each
    /// different key path subscribed to, and for each subscriber with a closure of its own.
    public func dispatch(_ action: any Action) {
        #if DEBUG
            concurrentUse.dispatching(action) { send(action) }
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

    private func rebuildChain() {
        // Weak: middleware and users of `dispatchFunction` may keep these closures for longer than
        // the store lives.
        let dispatch: DispatchFunction = { [weak self] action in self?.dispatch(action) }
        let getState: () -> State? = { [weak self] in self?.state }
        var next: DispatchFunction = { [weak self] action in self?.finish(action) }
        for link in middleware.reversed() {
            next = link(dispatch, getState)(next)
        }
        chain = next
        reachesEndDirectly = middleware.isEmpty
    }

    /// The end of the chain.
    private func finish(_ action: any Action) {
        if let interceptor {
            requireIdle("\(action) was dispatched")
            interceptor(action)
        } else {
            reduce(action)
            announce(after: action)
        }
    }

    /// Reduces one action and leaves notifying the subscribers to ``announce(after:)``. Must not be
    /// called by a reducer.
    package func reduce(_ action: any Action) {
        requireIdle("\(action) was dispatched")
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

    /// Not inlined into `reduce`, where this optional state would slow down reducing in place.
    @inline(never)
    private func reduce(_ action: any Action, by reducer: Reducer<State>) {
        if let box {
            box.value = reducer(action, box.value)
        } else {
            box = StateBox(reducer(action, nil))
        }
    }

    /// Notifies the subscribers of the newest state, unless they know it or a batch is open.
    ///
    /// - Parameter action: what led to it, for subscribers that ask.
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

    private func requireIdle(_ use: @autoclosure () -> String) {
        guard isReducing || subscriptions.isEvaluating else { return }
        let activity = isReducing ? "another action was being reduced" : "a selection was evaluated"
        // fatalError and not a precondition: the message must show in release builds too.
        fatalError(
            """
            \(use()) while \(activity): reducers, selectors and predicates must not dispatch, and \
            no two threads may use one store.
            """)
    }

    // MARK: - Batches

    /// Runs `body`, whatever it dispatches, and notifies the subscribers once, when it has ended.
    ///
    /// ```swift
    /// store.batch {
    ///     for card in cards { store.dispatch(AddCard(card)) }
    /// }
    /// ```
    ///
    /// Each action is reduced at once, and `body` sees the state change. A subscriber that comes
    /// during the batch receives the state of that moment. A nested batch is part of the outer one:
    /// its end notifies nobody. If `body` throws, what was dispatched before stays in effect, and
    /// the subscribers are notified. Must not be called by a reducer.
    public func batch<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        requireIdle("A batch was begun")
        batch.depth += 1
        subscriptions.isHeld = true
        defer { endBatch() }
        return try body()
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

    // MARK: - Subscribing

    /// Subscribes to the whole state; see ``StoreType/subscribe(_:)``.
    ///
    /// If the state is Equatable, the last one delivered is kept for comparison, so a reducer that
    /// works in place copies what it changes. Select a part, and only that part can be copied.
    public func subscribe<Subscriber: StoreSubscriber>(_ subscriber: Subscriber)
    where Subscriber.StoreSubscriberStateType == State {
        subscribe(subscriber, transform: nil)
    }

    /// Subscribes to what `transform` selects from the state; see
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

    /// Has the newest state evaluated, which a new subscriber is about to receive.
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

    /// In debug builds, ends the program if another thread is dispatching.
    func requireSameThread() {
        #if DEBUG
            concurrentUse.requireSameThread()
        #endif
    }

    // MARK: - For rooms, mirrors and the recorder

    /// Puts `interceptor` in the place of the reducer at the end of the chain; nil restores the
    /// reducer. The interceptor sees to it that ``reduce(_:)`` and ``announce(after:)`` are called
    /// once an action may take effect.
    package func interceptDispatch(_ interceptor: DispatchFunction?) {
        self.interceptor = interceptor
    }

    /// Whether there is an interceptor.
    package var isIntercepted: Bool { interceptor != nil }

    /// Whether a dispatch goes straight to the end of the chain: there is no middleware, and the
    /// chain hasn't been replaced.
    package var dispatchesDirectly: Bool { reachesEndDirectly }

    /// Replaces the state and notifies the subscribers: for roll-back and recovery. Must not be
    /// called by a reducer.
    package func replaceState(_ state: State) {
        placeState(state)
        announce()
    }

    /// Replaces the state and leaves notifying the subscribers to ``announce(after:)``. Must not be
    /// called by a reducer.
    package func placeState(_ state: State) {
        requireIdle("The state was replaced")
        if let box { box.value = state } else { box = StateBox(state) }
        isUnannounced = true
    }
}

/// Where a store keeps its state, so that a reducer can change it without taking it out.
///
/// A class rather than an optional property of the store, because each use of an optional whose
/// type isn't known at compile time costs a metadata lookup.
final class StateBox<State> {
    var value: State

    init(_ value: State) {
        self.value = value
    }
}

/// What a store has to know about open batches.
private struct Batch {
    /// How many are open, one within the other.
    var depth = 0
    /// Whether selections were evaluated for a new subscriber, so that others may be owed a value.
    var isEvaluated = false
    /// The action that led to the newest state; nil if the state was replaced without one.
    var newestAction: (any Action)?
}
