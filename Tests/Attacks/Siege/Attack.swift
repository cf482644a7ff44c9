/// One way to do a server harm, and what it may cost others.
///
/// Attackers come from addresses of their own, and come again as soon as the server ends them.
struct Attack: Sendable {
    /// What it is called on the command line.
    var name: String
    /// What the attackers do, in a clause.
    var summary: String
    var room = ServedRoom.board
    /// How many attackers there are, each with a thread.
    var attackers = 1
    /// How long it takes at least to do its harm, in seconds.
    var seconds = Seconds(quick: 4, full: 12)
    /// How long whoever doesn't read may be kept, in seconds, if that is what it tries; a full run
    /// goes on for so long.
    var hold: Int?
    var bound = Bound()
    /// What honest clients have done before; on a board, adds this many cards.
    var cards = 0
    /// What one attacker does, once. It throws when the server ends it, and is called again then.
    var run: @Sendable (Attacker) throws -> Void

    struct Seconds {
        var quick: Int
        var full: Int
    }

    /// Whatever the attackers do, no more than this.
    struct Bound {
        /// 99 of 100 pings of an innocent client are answered within so many milliseconds; or
        /// within twice what it took before the attack, where that is more.
        var p99 = 50.0
        /// And each of them within so many milliseconds, likewise: in a long run, 99 of 100 say little
        /// of one stall.
        var longest = 250.0
        /// By how much the server's memory may grow while the attack lasts, in MiB.
        var memory = 64.0
        /// By how much it may still have grown when ``Attack/hold`` is over, in MiB.
        var held = 16.0
        /// By how much the journal's files may grow, in MiB, of which SQLite's write-ahead log may take
        /// 4; nil for an attack whose actions are taken, as they are kept then.
        var journal: Double?
        /// How much the server may log, in MiB.
        var log = 1.0
    }
}

/// What `storecast serve` is started with.
enum ServedRoom: Sendable {
    case board
    /// A board, and the devtools.
    case inspectedBoard
    /// A room with this document.
    case document(@Sendable () -> String)
}
