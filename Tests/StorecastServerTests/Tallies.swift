import StorecastClient
import StorecastServer
import TestSupport

/// What the server's tests serve: a tally, and who counted last.
struct Tallies: Codable, Equatable, Sendable {
    var count = 0
    var last = ""

    static let count = Selection("count") { (tallies: Tallies) in tallies.count }
    static let last = Selection("last") { (tallies: Tallies) in tallies.last }
    static let me = Selection("me") { (_: Tallies, viewer: Identity) in viewer.id }

    static let room = RoomDefinition(
        state: Tallies(), actions: [Add.self], selections: [count, last, me]
    ) { tallies, action in
        guard let add = action as? Add else { return }
        tallies.count += add.number
        tallies.last = add.stamp.sender.id
    }
    .allowAll(.open)
}

struct Add: Stamped {
    var number: Int
    var stamp = Stamp()
}

extension RemoteConnection {
    /// Waits for a status; nil if the connection ends before it, or it doesn't come in time.
    func status(where matches: (Status) -> Bool) async -> Status? {
        for await status in statuses.limited where matches(status) { return status }
        return nil
    }

    func isLive() async -> Bool { await status { $0 == .live } != nil }

    /// Waits for the end, and says why.
    func end() async -> Rejection? {
        for await status in statuses.limited {
            if case .closed(let rejection) = status { return rejection }
        }
        return nil
    }

    func isOffline() async -> Bool {
        await status { status in
            if case .offline = status { true } else { false }
        } != nil
    }
}

extension String {
    /// The URL of another room of the same server.
    func at(_ path: String) -> String { String(dropLast()) + path }
}
