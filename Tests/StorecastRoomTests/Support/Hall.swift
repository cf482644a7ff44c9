import StorecastRoom

/// A room where nothing happens but people coming and going.
struct Hall: Codable, Equatable, Sendable {
    var presence = Presence()
    var diary: [String] = []

    static let present = Selection("present") { (hall: Hall) in hall.presence.participants }

    static var room: RoomDefinition<Hall> {
        RoomDefinition(
            state: Hall(), actions: [Wait.self, SetStatus.self], selections: [present]
        ) { hall, action in
            hall.presence.reduce(action)
            if let joined = action as? ClientJoined {
                hall.diary.append(
                    "\(joined.user) joined at \(joined.stamp.time.secondsSince1970)")
            } else if let left = action as? ClientLeft {
                hall.diary.append("\(left.user) left at \(left.stamp.time.secondsSince1970)")
            }
        }.lifecycle(grace: .seconds(10))
    }
}
