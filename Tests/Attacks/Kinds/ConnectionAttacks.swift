import MeasureSupport
import StorecastWire

/// Attacks by connections.
let connectionAttacks = [
    Attack(
        name: "comings", summary: "connects, says hello, and leaves, as fast as it can",
        bound: .init(journal: 8)
    ) { attacker in
        while !attacker.isOver { _ = try attacker.welcomed() }
    },
    Attack(
        name: "vanishing", summary: "4,000 connections are gone at once",
        seconds: .init(quick: 6, full: 15)
    ) { attacker in
        while !attacker.isOver {
            for _ in 0..<attacker.share(of: 4_000) { attacker.kept.append(try attacker.welcomed()) }
            for connection in attacker.kept { connection.abandon() }
            attacker.kept = []
        }
    },
    Attack(
        name: "slow-upgrades", summary: "2,000 connections send a byte of their request a second",
        hold: 30
    ) { attacker in
        let request = Array(RawConnection.request().utf8)
        for _ in 0..<attacker.share(of: 2_000) { attacker.kept.append(try attacker.plain()) }
        var index = 0
        while !attacker.isOver {
            index += 1
            attacker.kept.removeAll { connection in
                (try? connection.send([request[index % (request.count - 8)]])) == nil
            }
            if attacker.kept.isEmpty { throw Failure("The server has ended all of them.") }
            attacker.pause(.seconds(1))
        }
    },
    Attack(
        name: "long-requests", summary: "requests of header lines without end"
    ) { attacker in
        let line = "X-Header: " + String(repeating: "x", count: 1_000) + "\r\n"
        let lines = Array(repeatElement(Array(line.utf8), count: 60).joined())
        while !attacker.isOver {
            let connection = try attacker.plain()
            try? connection.send(Array("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n".utf8))
            while !attacker.isOver, (try? connection.send(lines)) != nil {}
        }
    },
    Attack(
        name: "no-hello",
        summary: "4,000 connections upgrade and say nothing, and again when ended",
        hold: 30
    ) { attacker in
        while !attacker.isOver {
            while attacker.kept.count < attacker.share(of: 4_000) {
                attacker.kept.append(try attacker.connect())
            }
            let ping = RawConnection.frame([], opcode: 10)
            attacker.kept.removeAll { connection in (try? connection.send(ping)) == nil }
            attacker.pause(.milliseconds(500))
        }
    },
    Attack(
        name: "page-requests",
        summary: "asks for a page 100 times at once on a connection, again and again"
    ) { attacker in
        let requests = Array(String(repeating: pageRequest, count: 100).utf8)
        while !attacker.isOver {
            let connection = try attacker.plain()
            try? connection.send(requests)
            while !attacker.isOver, (try? connection.drain()) != nil {
                attacker.pause(.milliseconds(1))
            }
        }
    },
    Attack(
        name: "kept-pages",
        summary: "4,000 connections ask for a page and stay, and again when ended", hold: 30
    ) { attacker in
        while !attacker.isOver {
            while attacker.kept.count < attacker.share(of: 4_000) {
                let connection = try attacker.plain()
                try? connection.send(Array(pageRequest.utf8))
                attacker.kept.append(connection)
            }
            attacker.kept.removeAll { connection in (try? connection.drain()) == nil }
            attacker.pause(.milliseconds(500))
        }
    },
    Attack(
        name: "crowding", summary: "10,000 connections from one address stay and do nothing",
        seconds: .init(quick: 6, full: 15), bound: .init(memory: 128)
    ) { attacker in
        for _ in 0..<attacker.share(of: 10_000) { attacker.kept.append(try attacker.welcomed()) }
        try attacker.hold()
    },
]

private let pageRequest = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
