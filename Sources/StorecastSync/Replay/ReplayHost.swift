/// The loop of a room that is only replayed: it has no turns, connections or time.
final class ReplayHost: SyncHost {
    private static let keptReports = 100
    private(set) var reports: [String] = []

    func schedule(turnOf room: any AnyRoom) {}
    func schedule(flushOf session: ServerSession) {}
    func schedule(after delay: Duration, _ work: @escaping () -> Void) {}
    func authenticate(_ session: ServerSession, token: String?) {}

    func report(_ message: String) {
        if reports.count == Self.keptReports { reports.removeFirst() }
        reports.append(message)
    }
}
