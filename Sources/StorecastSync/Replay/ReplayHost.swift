/// The host of a room that is only replayed: it has no turns, connections or time.
final class ReplayHost: LoopHost {
    private static let keptReports = 100
    private(set) var reports: [String] = []
    private(set) lazy var loop = RoomLoop(
        limits: SyncLimits(), unloadsRooms: false, host: self)

    var now: Duration { .zero }
    func schedule(after delay: Duration, _ work: @escaping () -> Void) {}
    func authenticate(_ session: ServerSession, token: String?) {}

    func report(_ message: String) {
        if reports.count == Self.keptReports { reports.removeFirst() }
        reports.append(message)
    }
}
