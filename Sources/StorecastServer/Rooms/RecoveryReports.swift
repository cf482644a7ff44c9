import StorecastRoom

/// Decides when it is worth telling how far a room has come with its history: after the first
/// second, and then every five seconds.
struct RecoveryReports {
    /// When each room that is being read is next told about.
    private var deadlines: [ExactString: Duration] = [:]

    mutating func isDue(_ progress: RoomProgress, at now: Duration) -> Bool {
        let room = ExactString(progress.room)
        guard progress.done < progress.total else {
            deadlines[room] = nil
            return false
        }
        guard let deadline = deadlines[room] else {
            deadlines[room] = now + .seconds(1)
            return false
        }
        guard now >= deadline else { return false }
        deadlines[room] = now + .seconds(5)
        return true
    }
}
