import MeasureSupport
import StorecastWire

/// Attacks on the disk.
let journalAttacks = [
    Attack(
        name: "rejections", summary: "actions of 1 MiB that are rejected",
        room: .document { "{}" }, bound: .init(journal: 4)
    ) { attacker in
        let value = "\"" + String(repeating: "x", count: 1_000_000) + "\""
        let connection = try attacker.welcomed()
        var seq = 0
        while !attacker.isOver {
            seq += 1
            try connection.send(
                message(dispatch(seq, "set", #"{"path":"/no/such/place","value":\#(value)}"#)))
            try connection.settle(seq)
        }
    },
    Attack(
        name: "small-rejections", summary: "actions that are rejected, 1,000 a message",
        bound: .init(journal: 8)
    ) { attacker in
        let connection = try attacker.welcomed()
        var seq = 0
        while !attacker.isOver {
            let frames = (seq + 1...seq + 1000).map {
                dispatch($0, "RemoveCard", #"{"card":"none"}"#)
            }
            seq += 1000
            try connection.send(batch(frames))
            try connection.settle(seq)
        }
    },
    Attack(
        name: "actions", summary: "actions that are taken, 1,000 a message, as fast as they are"
    ) { attacker in
        let connection = try attacker.welcomed()
        var seq = 0
        while !attacker.isOver {
            let frames = (seq + 1...seq + 1000).map {
                dispatch($0, "Say", #"{"text":"Anything that is said"}"#)
            }
            seq += 1000
            try connection.send(batch(frames))
            try connection.settle(seq)
        }
    },
]
