import StorecastSQLite
import StorecastSync

/// Goes through a part of a recorded room in the rhythm in which it happened.
struct RoomPlayback {
    private var traveller: RoomTraveller
    private var pace: ReplayPace
    private let first: UInt64
    private let last: UInt64

    /// Stands before the entry that led to version `first`; nil is the first that is kept.
    init(of room: RecordedRoom, from first: UInt64?, to last: UInt64?, pace: ReplayPace) throws {
        let place =
            first.map { RoomTraveller.Place.version(max($0, 1) - 1) }
            ?? .offset(room.room.floor)
        traveller = try RoomTraveller(room, near: place)
        try traveller.go(to: place)
        if let problem = traveller.problem { throw problem }
        self.pace = pace
        self.first = first ?? 0
        self.last = last ?? .max
    }

    /// The state at which it is, as JSON.
    var state: JSON { get throws { try traveller.state } }

    /// The next entry, and when it is due; nil at the end.
    mutating func next() throws -> (entry: TravelledEntry, due: Duration)? {
        while let next = try traveller.next() {
            if let problem = traveller.problem { throw problem }
            guard let version = next.replayed?.version, version <= last,
                let time = next.entry.record?.time
            else { return nil }
            if version >= first { return (next, pace.due(time)) }
        }
        return nil
    }
}
