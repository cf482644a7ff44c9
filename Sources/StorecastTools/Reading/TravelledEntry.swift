import StorecastSQLite
import StorecastRoom

/// An entry that a ``RoomTraveller`` came past.
struct TravelledEntry {
    var entry: JournalFileEntry
    /// What became of it; nil if that isn't known.
    var replayed: ReplayedEntry?

    /// Whether it is the one that led to `version`.
    func leads(to version: UInt64) -> Bool {
        replayed?.outcome == .reduced && replayed?.version == version
    }
}
