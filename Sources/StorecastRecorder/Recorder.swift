/// Records every action that a store reduces, with its time, and takes the store back and forth
/// in that history.
///
/// ```swift
/// let store = Store(state: Board(), reducer: reduce)
/// let recorder = Recorder(store, typeMaps: [TypeMap(AddCard.self, MoveCard.self)])
/// // … dispatches …
/// recorder.travel(to: 3)              // as it was after three actions
/// store.dispatch(AddCard(text: "b"))  // on from there: what came after the third is gone
/// try recorder.recording().write(to: "session.jsonl")
/// ```
///
/// It holds what comes out of the middleware, and replays it past the middleware: side effects
/// aren't repeated, and the reducer must depend on nothing but its arguments. Subscribers see the
/// states travelled to as they see any other. What they dispatch in answer to one is ignored: what
/// they dispatched when it was new is in the recording.
///
/// Actions are kept without limit, in constant time each; states only at checkpoints, whose number
/// is bounded. Going to any position costs at most as many calls of the reducer as there are
/// actions between two checkpoints, however far it is.
///
/// The recorder belongs to the same actor as the store and keeps it alive. Recording ends when the
/// recorder is released. A store has one recorder at a time.
public final class Recorder<State> {
    /// The actions recorded or loaded, in order; those from ``position`` on are the future. O(1).
    public internal(set) var actions: [RecordedAction] = []

    /// How many of the actions the store's state contains: 0 for the state from which the recording
    /// starts, the number of ``actions`` for the newest one.
    public internal(set) var position = 0

    /// The type maps given, as one.
    public let typeMap: TypeMap

    let store: Store<State>
    let clock: RecorderClock
    var checkpoints: Checkpoints<State>
    var playback: Playback?
    /// What the clock showed when the recording's time was zero, if no time was spent travelling.
    private var origin: Duration = .zero
    /// Subscribers are being told of a state travelled to.
    private var isReplaying = false

    /// Starts recording.
    ///
    /// - Parameters:
    ///   - store: must have a state, which is position 0 of the recording.
    ///   - typeMaps: the action types that may be loaded. Of two with one name the last counts.
    ///   - interval: how many actions there are between two checkpoints, at least 1. Fewer make
    ///     travelling quicker and keep more states.
    ///   - limit: how many checkpoints there may be, at least 2. When there are more, the distance
    ///     between them doubles: 100,000 actions with the values preset are 512 apart.
    ///   - clock: tells the time, and waits when a recording is played.
    public init(
        _ store: Store<State>, typeMaps: [TypeMap] = [], checkpointEvery interval: Int = 64,
        keepingAtMost limit: Int = 256, clock: some Clock<Duration> = ContinuousClock()
    ) {
        precondition(!store.isIntercepted, "The store has a recorder or a room already.")
        guard let start = store.state else { preconditionFailure("The store has no state yet.") }
        self.store = store
        self.typeMap = typeMaps.reduce(into: [:]) { $0.merge($1) { _, last in last } }
        self.clock = RecorderClock(clock)
        checkpoints = Checkpoints(start: start, interval: interval, limit: limit)
        // Unowned: the interceptor is taken out before the recorder goes.
        store.interceptDispatch { [unowned self] action in self.record(action) }
    }

    deinit {
        store.interceptDispatch(nil)
    }

    /// The time of the last action that the store's state contains; zero at position 0.
    public var time: Duration { position == 0 ? .zero : actions[position - 1].time }

    private func record(_ action: any Action) {
        if isReplaying { return }
        pause()
        dropFuture()
        let time = max(clock.now() - origin, time)
        store.reduce(action)
        actions.append(RecordedAction(action: action, time: time))
        advance()
        store.announce()
    }

    private func dropFuture() {
        guard position < actions.count else { return }
        actions.removeLast(actions.count - position)
        checkpoints.drop(after: position)
    }

    /// Goes to another position and tells the subscribers. From there on time is counted as if no
    /// other had passed.
    func move(to index: Int) {
        let start = checkpoints.nearest(to: index)
        if index < position || start.position > position {
            store.placeState(start.state)
            position = start.position
        }
        while position < index {
            reduce(actions[position].action)
            advance()
        }
        origin = clock.now() - time
        let wasReplaying = isReplaying
        isReplaying = true
        store.announce()
        isReplaying = wasReplaying
    }

    private func reduce(_ action: any Action) {
        // Comparing types costs less than a cast that fails, as it does for most actions.
        if type(of: action) == StateReplacement<State>.self,
            let replacement = action as? StateReplacement<State>
        {
            store.placeState(replacement.state)
        } else {
            store.reduce(action)
        }
    }

    /// The store's state has become the one after the next action.
    private func advance() {
        position += 1
        if position == checkpoints.nextPosition {
            checkpoints.add(store.state)
        }
    }

    /// Goes to the start of another recording, which becomes the present one.
    func restart(with actions: [RecordedAction]) {
        let start = checkpoints.nearest(to: 0).state
        self.actions = actions
        checkpoints.drop(after: 0)
        store.placeState(start)
        position = 0
    }
}
