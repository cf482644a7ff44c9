/// Records every action that a store reduces, with its time, and takes the store back and forth in
/// that history.
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
/// It records what comes out of the middleware, and replays it past the middleware: side effects
/// aren't repeated, and the reducer must depend on nothing but its arguments. Subscribers receive
/// the states travelled to like any others. What they dispatch in response is ignored, because the
/// recording already contains what they dispatched when the state was new.
///
/// Actions are kept without limit, in constant time each; states only at checkpoints, whose number
/// is bounded. Going to any position costs at most as many calls of the reducer as there are
/// actions between two checkpoints, however far it is.
///
/// The recorder belongs to the same actor as the store and keeps it alive. Recording ends when the
/// recorder is released. A store has one recorder at a time.
public final class Recorder<State> {
    /// The actions recorded or loaded, in order; those from ``position`` on are the future. O(1).
    public private(set) var actions: [RecordedAction] = []

    /// How many of the actions the store's state contains: 0 for the state at which the recording
    /// starts, the number of ``actions`` for the newest one.
    public private(set) var position = 0

    /// The type maps given, combined.
    public let typeMap: TypeMap

    let clock: RecorderClock
    /// The run of ``play(speed:)`` that is under way.
    var playback: Playback?
    private let store: Store<State>
    private var checkpoints: Checkpoints<State>
    /// The clock's time at which the recording's time was zero, not counting time spent travelling.
    private var origin: Duration = .zero
    /// Whether subscribers are being notified of a state travelled to.
    private var isReplaying = false

    /// Starts recording.
    ///
    /// - Parameters:
    ///   - store: must have a state, which is position 0 of the recording.
    ///   - typeMaps: the action types that may be loaded. Of two with one name the last counts.
    ///   - interval: how many actions there are between two checkpoints, at least 1. A smaller
    ///     interval makes travelling faster and keeps more states.
    ///   - limit: how many checkpoints there may be, at least 2. When there are more, the distance
    ///     between them doubles: with the default values, 100,000 actions have checkpoints 512
    ///     apart.
    ///   - clock: measures time, and waits when a recording is played.
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
        // Unowned: the interceptor is removed before the recorder is released.
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

    /// Counts the action that has just been reduced as a part of the store's state.
    private func advance() {
        position += 1
        if position == checkpoints.nextPosition {
            checkpoints.add(store.state)
        }
    }

    // MARK: - Time travel

    /// Goes to the state after the first `index` actions and notifies the subscribers once.
    ///
    /// The actions after it remain, to be travelled to again, until another is dispatched. Ends a
    /// playback. Must not be called by a reducer.
    ///
    /// - Parameter index: 0 for the start, at most the number of ``actions``.
    public func travel(to index: Int) {
        precondition(
            (0...actions.count).contains(index),
            "There is no position \(index) in a recording of \(actions.count) actions.")
        pause()
        move(to: index)
    }

    /// Goes to the state at a time: after all actions that had happened by then.
    public func travel(toTime time: Duration) {
        // Binary search: the times don't decrease.
        var range = actions[...]
        while !range.isEmpty {
            let middle = range.startIndex + range.count / 2
            range = range[middle].time <= time ? range[(middle + 1)...] : range[..<middle]
        }
        travel(to: range.startIndex)
    }

    /// Goes one action back; returns false at the start.
    @discardableResult
    public func stepBack() -> Bool {
        guard position > 0 else { return false }
        travel(to: position - 1)
        return true
    }

    /// Goes one action forward; returns false if there is no future.
    @discardableResult
    public func stepForward() -> Bool {
        guard position < actions.count else { return false }
        travel(to: position + 1)
        return true
    }

    /// Goes to another position and notifies the subscribers. Recording continues from there with
    /// the time of that position.
    func move(to index: Int) {
        let start = checkpoints.nearest(to: index)
        if index < position || start.position > position {
            store.placeState(start.state)
            position = start.position
        }
        while position < index {
            replay(actions[position].action)
            advance()
        }
        origin = clock.now() - time
        let wasReplaying = isReplaying
        isReplaying = true
        store.announce()
        isReplaying = wasReplaying
    }

    private func replay(_ action: any Action) {
        // Comparing types costs less than a cast that fails, as it does for most actions.
        if type(of: action) == StateReplacement<State>.self,
            let replacement = action as? StateReplacement<State>
        {
            store.placeState(replacement.state)
        } else {
            store.reduce(action)
        }
    }

    /// Replaces the recording, goes to `index` and notifies the subscribers once.
    ///
    /// - Parameters:
    ///   - actions: their times don't decrease.
    ///   - start: position 0 from now on; nil keeps the present one.
    ///   - index: where to go; nil for the end.
    package func load(
        _ actions: [RecordedAction], startingFrom start: State?, goingTo index: Int? = nil
    ) {
        pause()
        checkpoints.restart(from: start ?? checkpoints.nearest(to: 0).state)
        self.actions = actions
        store.placeState(checkpoints.nearest(to: 0).state)
        position = 0
        move(to: index ?? actions.count)
    }
}

/// One action that a ``Recorder`` holds.
public struct RecordedAction {
    /// The action as the reducer received it; a ``StandardAction`` if it was loaded and its type
    /// isn't known.
    public let action: any Action
    /// When it was reduced, from the start of the recording.
    public let time: Duration

    package init(action: any Action, time: Duration) {
        self.action = action
        self.time = time
    }
}

/// Stands in a recording where the state was replaced, which no reducer does.
package struct StateReplacement<State>: Action {
    fileprivate let state: State

    package init(_ state: State) {
        self.state = state
    }
}
