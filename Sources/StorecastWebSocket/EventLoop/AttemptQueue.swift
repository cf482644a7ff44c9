/// Lets so many clients of a loop connect at a time; the others wait for their turn, in order.
///
/// libwebsockets has its timers in one sorted list. Were thousands of clients to shake hands at
/// once, each step of each would walk it, none would be done in time, and all would try again.
package final class AttemptQueue {
    package static let most = 256

    private var underWay = 0
    private var waiting: [() -> Bool] = []
    private var isBeginning = false

    package init() {}

    /// - Parameter begin: returns false if it doesn't want to any more. What it began ends with
    ///   `leave`.
    package func enter(_ begin: @escaping () -> Bool) {
        waiting.append(begin)
        beginWaiting()
    }

    package func leave() {
        underWay -= 1
        beginWaiting()
    }

    private func beginWaiting() {
        // An attempt may end before it has begun.
        if isBeginning { return }
        isBeginning = true
        defer { isBeginning = false }
        var first = 0
        while underWay < Self.most, first < waiting.count {
            let begin = waiting[first]
            first += 1
            underWay += 1
            if !begin() { underWay -= 1 }
        }
        waiting.removeFirst(first)
    }
}
