package import StorecastSync

/// How long a loop's turns take, and by what. A loop has one only while somebody looks.
package final class TurnMeter {
    /// What was done in one turn for the loop's rooms, and how long it took.
    package struct Turn: Equatable, Sendable {
        /// When it was over.
        package var time = Timestamp(secondsSince1970: 0)
        /// Checking and reducing actions, and telling whoever waits for their outcomes.
        package var reduce = Duration.zero
        /// Asking selections for their values, comparing them, and making patches.
        package var select = Duration.zero
        /// Making messages of it for connections.
        package var encode = Duration.zero
        /// Handing these to the sockets.
        package var write = Duration.zero
        package var dispatches = 0
        package var messages = 0
        /// The dispatch that took the longest: its type and its room.
        package var longest: (type: String, room: String)? {
            get { longestType.map { ($0, longestRoom) } }
            set { (longestType, longestRoom) = (newValue?.type, newValue?.room ?? "") }
        }
        private var longestType: String?
        private var longestRoom = ""
        fileprivate var longestTime = Duration.zero

        /// All of it.
        package var total: Duration { reduce + select + encode + write }
        fileprivate var isEmpty: Bool { total == .zero && dispatches == 0 && messages == 0 }
    }

    private static let newest = 100
    private static let slow = 12

    private let excepted: (any SessionRoom)?
    private var current = Turn()
    /// The last ones, the newest at the end.
    private var last: [Turn] = []
    /// Those that took the longest since somebody looks, the longest first.
    package private(set) var slowest: [Turn] = []
    /// How many there were.
    package private(set) var count = 0

    /// - Parameter room: what is done for it isn't noted: it is the one that is looked with.
    package init(except room: (any SessionRoom)?) {
        excepted = room
    }

    /// The last turns in which there was something to do, the newest at the end.
    package var turns: [Turn] { last.suffix(Self.newest) }

    func reduced(_ entry: JournalEntry, in time: Duration, for room: any SessionRoom) {
        guard room !== excepted else { return }
        current.reduce += time
        current.dispatches += 1
        guard time > current.longestTime else { return }
        current.longestTime = time
        let type = entry.actions.first.map { Swift.type(of: $0).wireName } ?? entry.refused?.type
        current.longest = type.map { ($0, room.name) }
    }

    func selected(in time: Duration, for room: any SessionRoom) {
        if room !== excepted { current.select += time }
    }

    func sent(
        _ messages: Int, encodedIn encode: Duration, writtenIn write: Duration,
        for room: any SessionRoom
    ) {
        guard room !== excepted else { return }
        current.encode += encode
        current.write += write
        current.messages += messages
    }

    func endTurn(at time: Timestamp) {
        guard !current.isEmpty else { return }
        current.time = time
        count += 1
        last.append(current)
        if last.count >= 2 * Self.newest { last.removeFirst(Self.newest) }
        if slowest.count < Self.slow || current.total > slowest[slowest.count - 1].total {
            let place = slowest.firstIndex { $0.total < current.total } ?? slowest.count
            slowest.insert(current, at: place)
            if slowest.count > Self.slow { slowest.removeLast() }
        }
        current = Turn()
    }
}
