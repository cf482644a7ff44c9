import MeasureSupport
import StorecastWire

/// Attacks on a room that holds a JSON document.
let documentAttacks = [
    Attack(
        name: "deep-set",
        summary: "sets a large array, shuffled, of which 50 paths to it are subscribed",
        room: .document { Nest.document(Nest.numbers) }
    ) { attacker in
        let connection = try attacker.welcomed()
        try connection.send(batch(Nest.subscriptions))
        try connection.settle()
        var seq = 0
        while !attacker.isOver {
            seq += 1
            let value = Nest.document(Nest.numbers.shuffled(using: &attacker.random))
            try connection.send(message(dispatch(seq, "set", #"{"path":"","value":\#(value)}"#)))
            try connection.settle(seq)
        }
    },
    Attack(
        name: "subscribe-batch",
        summary: "subscribes and unsubscribes 50 paths of a large document, 1 MiB a message",
        room: .document { Nest.document(Nest.numbers) }
    ) { attacker in
        let connection = try attacker.welcomed()
        let pairs = (1...Nest.depth).map {
            Nest.subscribe(Nest.path($0), ref: $0) + #",{"op":"unsubscribe","ref":\#($0)}"#
        }
        let frames = filling(1 << 20, with: pairs)
        while !attacker.isOver {
            try connection.send(batch(frames))
            try connection.settle()
        }
    },
    Attack(
        name: "merge-batch",
        summary: "1,000 times merges {} into a large document, 96 KB a message",
        room: .document { Nest.members(60_000) }
    ) { attacker in
        let connection = try attacker.welcomed()
        try connection.send(message(Nest.subscribe("", ref: 1)))
        try connection.settle()
        var seq = 0
        while !attacker.isOver {
            let frames = (seq + 1...seq + 1000).map {
                dispatch($0, "merge", #"{"path":"","value":{}}"#)
            }
            seq += 1000
            try connection.send(batch(frames))
            try connection.settle(seq)
        }
    },
    Attack(
        name: "append-drip",
        summary:
            "appends four small elements a second to an array of 1 MiB, subscribed at 50 depths",
        room: .document { Nest.document(Nest.numbers) }
    ) { attacker in
        let connection = try attacker.welcomed()
        try connection.send(batch(Nest.subscriptions))
        try connection.settle()
        var seq = 0
        while !attacker.isOver {
            seq += 1
            let payload = #"{"path":"\#(Nest.path(Nest.depth))","value":1}"#
            try connection.send(message(dispatch(seq, "append", payload)))
            try connection.settle(seq)
            attacker.pause(.milliseconds(250))
        }
    },
    Attack(
        name: "remove-first",
        summary: "removes the first element of a large array, 1,000 times a message",
        room: .document { Nest.document(Nest.numbers) }
    ) { attacker in
        let connection = try attacker.welcomed()
        try connection.send(message(Nest.subscribe(Nest.path(Nest.depth), ref: 1)))
        try connection.settle()
        var seq = 0
        while !attacker.isOver {
            let frames = (seq + 1...seq + 1000).map {
                dispatch($0, "remove", #"{"path":"\#(Nest.path(Nest.depth))/0"}"#)
            }
            seq += 1000
            try connection.send(batch(frames))
            try connection.settle(seq)
        }
    },
    Attack(
        name: "old-versions",
        summary: "resumes 50 paths at versions that were, while the document changes",
        room: .document { Nest.document(Nest.numbers) }
    ) { attacker in
        let connection = try attacker.welcomed()
        try connection.send(message(Nest.subscribe(Nest.path(Nest.depth), ref: 1)))
        guard case .subscribed(let subscribed) = try connection.nextFrame() else {
            throw Failure("The server didn't subscribe.")
        }
        let (epoch, tag) = (connection.epoch, subscribed.tag)
        var seq = 0
        while !attacker.isOver {
            seq += 1
            let set = dispatch(
                seq, "set", #"{"path":"\#(Nest.path(Nest.depth))/0","value":\#(seq)}"#)
            let frames = (0..<50).flatMap { index -> [String] in
                let version = attacker.random.next() % UInt64(seq + 1)
                let at = #","at":{"epoch":"\#(epoch)","v":\#(version),"tag":"\#(tag)"}}"#
                let ref = 100 + index
                let subscribe = String(Nest.subscribe(Nest.path(Nest.depth), ref: ref).dropLast())
                return [subscribe + at, #"{"op":"unsubscribe","ref":\#(ref)}"#]
            }
            try connection.send(batch([set] + frames))
            try connection.settle(seq)
        }
    },
]

/// Documents of nearly 1 MiB.
enum Nest {
    static let depth = 50
    /// 869 KB of text.
    static let numbers = Array(100_000..<224_000)

    /// An array, in an object, in an object, and so on.
    static func document(_ numbers: [Int]) -> String {
        String(repeating: #"{"a":"#, count: depth) + "["
            + numbers.map(String.init).joined(separator: ",") + "]"
            + String(repeating: "}", count: depth)
    }

    /// An object with so many members.
    static func members(_ count: Int) -> String {
        "{" + (0..<count).map { #""member\#($0)":0"# }.joined(separator: ",") + "}"
    }

    /// The path to the object, or the array, at a depth.
    static func path(_ depth: Int) -> String { String(repeating: "/a", count: depth) }

    static func subscribe(_ path: String, ref: Int) -> String {
        #"{"op":"subscribe","ref":\#(ref),"select":"value","params":{"path":"\#(path)"}}"#
    }

    /// To each object, and to the array.
    static var subscriptions: [String] {
        (1...depth).map { subscribe(path($0), ref: $0) }
    }
}
