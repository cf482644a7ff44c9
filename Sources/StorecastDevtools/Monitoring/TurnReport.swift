import StorecastRoom
import StorecastWire

/// The turns of a loop as the devtools show them.
struct TurnReport: Encodable {
    struct Turn: Encodable {
        /// Seconds since 1970.
        var time: Double
        /// Microseconds, all of them.
        var reduce: Double
        var select: Double
        var encode: Double
        var write: Double
        var dispatches: Int
        var messages: Int
        /// The type of the dispatch that took the longest, and its room.
        var longest: String?
        var room: String?

        init(_ turn: TurnMeter.Turn) {
            time = turn.time.secondsSince1970
            reduce = turn.reduce.microseconds
            select = turn.select.microseconds
            encode = turn.encode.microseconds
            write = turn.write.microseconds
            (dispatches, messages) = (turn.dispatches, turn.messages)
            (longest, room) = (turn.longest?.type.excerpt(), turn.longest?.room)
        }
    }

    /// How many turns there were since somebody looks.
    var count: Int
    /// The last ones, the newest at the end.
    var turns: [Turn]
    /// Those that took the longest since somebody looks, the longest first.
    var slowest: [Turn]

    init(_ meter: TurnMeter) {
        count = meter.count
        turns = meter.turns.map { Turn($0) }
        slowest = meter.slowest.map { Turn($0) }
    }
}

extension Duration {
    /// In microseconds, to a tenth.
    var microseconds: Double { ((self / .microseconds(1)) * 10).rounded() / 10 }
}
