extension Recorder {
    /// Goes to the state after the first `index` actions and tells the subscribers, once.
    ///
    /// The actions after it stay, to be travelled to again, until another is dispatched. Ends a
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
        var range = actions[...]
        // Binary search: the times don't decrease.
        while let middle = range.indices.middle {
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
}

extension Range<Int> {
    fileprivate var middle: Int? { isEmpty ? nil : lowerBound + count / 2 }
}
