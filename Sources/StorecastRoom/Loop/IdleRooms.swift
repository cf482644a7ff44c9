/// Which rooms nobody is in, and when each is to be looked at.
struct IdleRooms {
    /// By the room's name; in the time of the loop's clock.
    private var deadlines: [ExactString: Duration] = [:]
    /// Whether somebody looks at them later.
    private(set) var isWatched = false

    /// Notes that the room was used at `now`, and nobody stayed; true if watching has to begin.
    mutating func left(_ room: String, until deadline: Duration) -> Bool {
        deadlines[ExactString(room)] = deadline
        defer { isWatched = true }
        return !isWatched
    }

    mutating func entered(_ room: String) { deadlines[ExactString(room)] = nil }

    /// Takes those whose time has come, in the order of their names. O(idle rooms).
    mutating func takeDue(at now: Duration) -> [ExactString] {
        let due = deadlines.filter { $0.value <= now }.keys.sorted()
        for room in due { deadlines[room] = nil }
        return due
    }

    /// When to look at them again; nil, and nobody watches, if there are none.
    mutating func nextDeadline() -> Duration? {
        let next = deadlines.values.min()
        isWatched = next != nil
        return next
    }
}
