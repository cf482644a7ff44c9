import StorecastSync
import StorecastWire

/// The names of a room that clients have asked for and no rule is about: each is reported once.
final class UnruledNames {
    private let room: String
    private unowned let host: any RoomHost
    private var reported: Set<ExactString> = []

    init(of room: String, host: any RoomHost) {
        self.room = room
        self.host = host
    }

    /// What a client is told. There are as many names as the room's definition has.
    func rejection(of error: NoRule) -> Rejection {
        if reported.insert(ExactString(error.name)).inserted {
            host.report(
                "Nobody may have '\(error.name)' of room '\(room)', as its definition has no rule "
                    + "for it: add .allow(…, .open), or .allowAll(.signedIn).")
        }
        return error.rejection
    }
}
