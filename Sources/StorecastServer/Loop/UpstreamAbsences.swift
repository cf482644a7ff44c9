import StorecastSync
import Synchronization

/// Which owners of rooms an edge can't reach, whatever loops these live on: so that of the thousands
/// of rooms that an owner may have the first one is logged that misses it, and the last that has it
/// again.
final class UpstreamAbsences: Sendable {
    private struct Absence {
        /// The rooms that miss it.
        var rooms: Set<ExactString> = []
        /// Whether it is away as far as is known; also when the rooms that missed it are let go of.
        var isAway = false
        /// What was logged last, and when.
        var line: (problem: String, time: ContinuousClock.Instant)?
        /// Whether that was of this absence.
        var isLogged = false
    }

    /// For how long the next line waits.
    static let pause = Duration.seconds(10)

    private let now: @Sendable () -> ContinuousClock.Instant
    /// By the owners' ids.
    private let absences = Mutex<[ExactString: Absence]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// A room misses its owner; whether that is to be logged.
    func missed(_ room: String, _ owner: String, _ problem: String) -> Bool {
        let (now, owner) = (now(), ExactString(owner))
        return absences.withLock { absences in
            if absences[owner] == nil {
                // Servers of a cluster that are gone don't come back by their ids.
                absences = absences.filter { _, absence in
                    guard absence.rooms.isEmpty, let line = absence.line else { return true }
                    return now - line.time < Self.pause
                }
            }
            var absence = absences[owner] ?? Absence()
            defer { absences[owner] = absence }
            absence.rooms.insert(ExactString(room))
            let isOther = absence.line.map { !$0.problem.isSameText(as: problem) } ?? true
            let isLate = absence.line.map { now - $0.time >= Self.pause } ?? true
            // What is tried next says more of why; but not each time that it is.
            let isDue = absence.isAway ? isOther && isLate : isOther || isLate
            if !absence.isAway { (absence.isAway, absence.isLogged) = (true, false) }
            if isDue { (absence.line, absence.isLogged) = ((problem, now), true) }
            return isDue
        }
    }

    /// A room has its owner again, or another; whether that is to be logged.
    func found(_ room: String, _ owner: String) -> Bool {
        absences.withLock { absences in
            let owner = ExactString(owner)
            guard var absence = absences[owner], absence.isAway else { return false }
            absence.rooms.remove(ExactString(room))
            absence.isAway = !absence.rooms.isEmpty
            absences[owner] = absence
            return !absence.isAway && absence.isLogged
        }
    }

    /// A room doesn't ask for its owner any more.
    func letGo(_ room: String, _ owner: String) {
        absences.withLock { _ = $0[ExactString(owner)]?.rooms.remove(ExactString(room)) }
    }
}
