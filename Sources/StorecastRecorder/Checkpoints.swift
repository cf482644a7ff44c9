/// States that a recording passed at regular distances, so that any position is near one of them.
///
/// There are never more than `limit`: when there would be, every other one is dropped and the
/// distance doubles. They share storage with each other and with the store's state as far as they
/// are equal.
struct Checkpoints<State> {
    /// How many actions there are between one and the next.
    private var interval: Int
    private let limit: Int
    /// The states after `index * interval` actions.
    private var states: [State]

    init(start: State, interval: Int, limit: Int) {
        precondition(interval >= 1, "Checkpoints are at least one action apart.")
        precondition(limit >= 2, "There must be room for two checkpoints.")
        self.interval = interval
        self.limit = limit
        states = [start]
    }

    /// The position of the next one to be added.
    var nextPosition: Int { states.count * interval }

    /// The last one at or before `position`. O(1).
    func nearest(to position: Int) -> (position: Int, state: State) {
        let index = min(position / interval, states.count - 1)
        return (index * interval, states[index])
    }

    /// Adds the state at ``nextPosition``. O(1), amortised.
    mutating func add(_ state: State) {
        let position = nextPosition
        if states.count == limit {
            states = stride(from: 0, to: states.count, by: 2).map { states[$0] }
            interval *= 2
        }
        // If the limit is odd, the position isn't a multiple of the doubled distance.
        guard position == nextPosition else { return }
        states.append(state)
    }

    /// Drops all, and begins with another state.
    mutating func restart(from start: State) { states = [start] }

    /// Drops those after `position`.
    mutating func drop(after position: Int) {
        let kept = min(position / interval + 1, states.count)
        states.removeLast(states.count - kept)
    }
}
