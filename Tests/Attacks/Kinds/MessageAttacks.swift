import MeasureSupport
import StorecastWire

/// Attacks by what messages say.
let messageAttacks = [
    Attack(
        name: "long-paths",
        summary: "20 connections subscribe 256 paths of 2,000 steps each",
        room: .document { "{}" }
    ) { attacker in
        for connection in 0..<20 {
            let client = try attacker.welcomed()
            let frames = (0..<256).map { index in
                let steps = String(repeating: "/a", count: 1_990) + "/\(connection)-\(index)"
                return Nest.subscribe(steps, ref: index)
            }
            // Two messages, as one is too large.
            try client.send(batch(Array(frames.prefix(128))))
            try client.send(batch(Array(frames.suffix(128))))
            try client.settle()
            attacker.kept.append(client)
        }
        try attacker.hold()
    },
    Attack(
        name: "junk-batches", summary: "1 MiB a message of half a million frames that are none"
    ) { attacker in
        let junk = ["0", "[]", "{}", "\"\"", "null"].map {
            batch(filling(1 << 20, with: [$0]))
        }
        let connection = try attacker.welcomed()
        while !attacker.isOver {
            for message in junk {
                try connection.send(message)
                try connection.settle()
            }
        }
    },
    Attack(
        name: "ping-batches", summary: "1 MiB a message of 80,000 pings, and reads the answers"
    ) { attacker in
        let pings = batch(filling(1 << 20, with: [#"{"op":"ping"}"#]))
        let connection = try attacker.welcomed()
        while !attacker.isOver {
            try connection.send(pings)
            try connection.settle()
            try connection.drain()
        }
    },
    Attack(
        name: "huge-numbers",
        summary: "messages of numbers of 500 digits, of exponents, and of escapes"
    ) { attacker in
        let digits = String(repeating: "9", count: 500)
        let values = [
            digits, "0.\(digits)", "1e-\(digits.prefix(400))", "\(digits.prefix(300))e-300",
            "\"" + String(repeating: #"\u0000"#, count: 100) + "\"",
        ]
        let arrays = values.map { value in
            "[" + filling(1_000_000, with: [value]).joined(separator: ",") + "]"
        }
        let connection = try attacker.welcomed()
        while !attacker.isOver {
            for array in arrays {
                // Whether it is taken or not, all of it has to be read.
                try connection.send(message(#"{"op":"ping","with":\#(array)}"#))
                try connection.settle()
            }
        }
    },
    Attack(
        name: "many-members", summary: "messages that are objects of 70,000 members",
        room: .document { "{}" }
    ) { attacker in
        let members = "{" + (0..<70_000).map { #""m\#($0)":0"# }.joined(separator: ",") + "}"
        let connection = try attacker.welcomed()
        var seq = 0
        while !attacker.isOver {
            seq += 1
            try connection.send(
                message(dispatch(seq, "set", #"{"path":"/no/such","value":\#(members)}"#)))
            try connection.send(message(members))
            try connection.settle(seq)
        }
    },
    Attack(
        name: "tokens", summary: "a hundred connections at a time say hello with tokens of 900 KB"
    ) { attacker in
        let token = String(repeating: "t", count: 900_000)
        let hello = RawConnection.frame {
            $0.write(RawConnection.hello(attacker.newClient(), token: token))
        }
        while !attacker.isOver {
            attacker.kept = []
            for _ in 0..<100 {
                let connection = try attacker.connect()
                try connection.send(hello)
                attacker.kept.append(connection)
            }
        }
    },
    Attack(
        name: "devtools", summary: "looks for the devtools' token, and for rooms that don't exist",
        room: .inspectedBoard
    ) { attacker in
        while !attacker.isOver {
            let token = String(attacker.random.next(), radix: 36)
            let connection = try attacker.connect(
                attacker.random.next() % 2 == 0
                    ? "/devtools" : "/rooms/\(token)")
            try connection.send(
                RawConnection.frame {
                    $0.write(RawConnection.hello(attacker.newClient(), token: token))
                })
            _ = try? connection.nextMessage()
        }
    },
]
