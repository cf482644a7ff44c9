import MeasureSupport
import StorecastWire

/// Attacks by clients that don't read, or don't finish what they say.
let readerAttacks = [
    Attack(
        name: "stalled-paths",
        summary: "ten connections subscribe 50 paths of a large document, read nothing, send pongs",
        room: .document { Nest.document(Nest.numbers) }, hold: 120
    ) { attacker in
        for _ in 0..<10 {
            let connection = try attacker.welcomed(receiveBuffer: 4096)
            try connection.send(batch(Nest.subscriptions))
            attacker.kept.append(connection)
        }
        try attacker.hold()
    },
    Attack(
        name: "stalled-answers",
        summary: "twenty connections ask for large values again and again, and read nothing",
        room: .document { Nest.document(Nest.numbers) }, hold: 120
    ) { attacker in
        let pairs = (1...Nest.depth).map {
            Nest.subscribe(Nest.path($0), ref: $0) + #",{"op":"unsubscribe","ref":\#($0)}"#
        }
        for _ in 0..<20 {
            let connection = try attacker.welcomed(receiveBuffer: 4096)
            for pair in pairs { try connection.send(batch([pair])) }
            attacker.kept.append(connection)
        }
        try attacker.hold()
    },
    Attack(
        name: "stalled-pages",
        summary: "500 connections ask for web pages, and read nothing", hold: 120
    ) { attacker in
        for number in 0..<500 {
            let connection = try attacker.plain(receiveBuffer: 4096)
            let page = number % 2 == 0 ? "/" : "/storecast/index.js"
            let request = "GET \(page) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            try connection.send(Array(request.utf8))
            attacker.kept.append(connection)
        }
        while !attacker.isOver { attacker.pause(.seconds(1)) }
    },
    Attack(
        name: "fragments",
        summary: "200 connections send 1 MiB of a message that doesn't end, then pongs", hold: 120
    ) { attacker in
        let piece = RawConnection.frame(
            [UInt8](repeating: 0x20, count: 1 << 20 - 1), isLast: false)
        for _ in 0..<200 {
            let connection = try attacker.welcomed()
            try connection.send(piece)
            attacker.kept.append(connection)
        }
        try attacker.hold()
    },
    Attack(
        name: "empty-fragments",
        summary: "a message of a million empty frames, of which none is the last"
    ) { attacker in
        let connection = try attacker.welcomed()
        try connection.send(RawConnection.frame([0x20], isLast: false))
        let piece = RawConnection.frame([], opcode: 0, isLast: false)
        let pieces = Array(repeatElement(piece, count: 10_000).joined())
        while !attacker.isOver {
            for _ in 0..<100 { try connection.send(pieces) }
            try connection.drain()
        }
    },
    Attack(
        name: "ping-flood",
        summary: "ten connections send WebSocket pings of 125 bytes, and read no pong"
    ) { attacker in
        let ping = RawConnection.frame([UInt8](repeating: 1, count: 125), opcode: 9)
        let pings = Array(repeatElement(ping, count: 1000).joined())
        for _ in 0..<10 { attacker.kept.append(try attacker.welcomed(receiveBuffer: 4096)) }
        while !attacker.isOver {
            for connection in attacker.kept { try connection.send(pings) }
        }
    },
]
