/// The messages that have come and aren't worked off, of all sessions of a loop.
///
/// Each session reads no further while some of its own wait; but of thousands the messages together
/// may be more than the server can hold.
struct Backlog {
    /// The sessions that have some, and in which order they came to it.
    private var sessions: [ObjectIdentifier: (session: ServerSession, order: UInt64)] = [:]
    private(set) var bytes = 0
    private var order: UInt64 = 0
    private let limit: Int

    /// - Parameter limit: how many bytes there may be.
    init(limit: Int) { self.limit = limit }

    var isExceeded: Bool { bytes > limit }

    /// What waits of a session has become more, or less.
    mutating func note(_ session: ServerSession, from old: Int, to new: Int) {
        bytes += new - old
        if new == 0 {
            sessions[ObjectIdentifier(session)] = nil
        } else if old == 0 {
            order += 1
            sessions[ObjectIdentifier(session)] = (session, order)
        }
    }

    /// Those that are to be ended so that a quarter of the limit is free: first those of the
    /// connection, address or identity that has the most waiting, and of these the newest.
    /// O(n log n) for n sessions that have something waiting.
    func excess() -> [ServerSession] {
        var sums: [ObjectIdentifier: Int] = [:]
        for (session, _) in sessions.values {
            for account in session.accounts {
                sums[ObjectIdentifier(account), default: 0] += session.backlog
            }
        }
        let costs = sessions.values.map { session, order in
            let sum = session.accounts.reduce(0) { max($0, sums[ObjectIdentifier($1)] ?? 0) }
            return (sum: sum, order: order, session: session)
        }
        var left = bytes
        return costs.sorted { ($0.sum, $0.order) > ($1.sum, $1.order) }
            .prefix { cost in
                defer { left -= cost.session.backlog }
                return left > limit - limit / 4
            }
            .map(\.session)
    }
}
