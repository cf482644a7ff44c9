import StorecastSync

/// Decides when it is worth telling how far a room has come with its history: after the first second,
/// and then every five seconds.
struct RecoveryReports {
    /// When each room that is being read is next told about.
    private var deadlines: [String: Duration] = [:]

    mutating func isDue(_ progress: RoomProgress, at now: Duration) -> Bool {
        guard progress.done < progress.total else {
            deadlines[progress.room] = nil
            return false
        }
        guard let deadline = deadlines[progress.room] else {
            deadlines[progress.room] = now + .seconds(1)
            return false
        }
        guard now >= deadline else { return false }
        deadlines[progress.room] = now + .seconds(5)
        return true
    }
}
