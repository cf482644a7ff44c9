/// A virtual clock and its event queue: time moves only from one event to the next.
///
/// Events of the same time happen in the order in which they were scheduled. Scheduling one and
/// running one is O(log n).
final class VirtualTime {
    private struct Event {
        let time: Duration
        let order: UInt64
        let body: () -> Void

        func isBefore(_ other: Event) -> Bool {
            time == other.time ? order < other.order : time < other.time
        }
    }

    /// Since the simulation began.
    private(set) var now = Duration.zero
    /// How many events have happened.
    private(set) var eventCount: UInt64 = 0
    /// How many of them at this time.
    private var instantCount = 0
    private var order: UInt64 = 0
    /// A binary heap.
    private var heap: [Event] = []

    /// Whether so much happens at one time that it can't be expected to end.
    var standsStill: Bool { instantCount > 1_000_000 }

    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        at(now + delay, body)
    }

    func at(_ time: Duration, _ body: @escaping () -> Void) {
        order += 1
        heap.append(Event(time: max(time, now), order: order, body: body))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Discards all events, and with them what they retain.
    func end() {
        heap = []
    }

    /// Runs the next event; false if there is none.
    func runNext() -> Bool {
        guard !heap.isEmpty else { return false }
        heap.swapAt(0, heap.count - 1)
        let event = heap.removeLast()
        sink()
        instantCount = event.time == now ? instantCount + 1 : 1
        now = event.time
        eventCount += 1
        event.body()
        return true
    }

    private func sink() {
        var parent = 0
        while true {
            var first = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isBefore(heap[first]) {
                first = child
            }
            guard first != parent else { return }
            heap.swapAt(parent, first)
            parent = first
        }
    }
}
