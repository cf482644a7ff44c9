import MeasureSupport
import StorecastWire

/// Attacks on the example board: on selections of rows, and on who is present.
let boardAttacks = [
    Attack(
        name: "missing-cards",
        summary: "subscribes 10,240 cards that don't exist, on a board of 10,000, and acts",
        cards: 10_000
    ) { attacker in
        for connection in 0..<40 {
            let client = try attacker.welcomed()
            try client.send(
                batch(
                    (0..<256).map { subscribe("card", #""none-\#(connection)-\#($0)""#, ref: $0) }))
            try client.settle()
            attacker.kept.append(client)
        }
        try act(attacker)
    },
    Attack(
        name: "pages",
        summary: "subscribes 10,240 different pages of a column of 10,000 cards, and acts",
        cards: 10_000
    ) { attacker in
        for connection in 0..<40 {
            let client = try attacker.welcomed(receiveBuffer: 4096)
            let pages = (0..<256).map { index in
                // Limits above the longest page are different parameters of the same page.
                subscribe(
                    "column", #"{"column":"todo","limit":\#(connection * 256 + index + 1)}"#,
                    ref: index)
            }
            try client.send(batch(pages))
            attacker.kept.append(client)
        }
        try act(attacker)
    },
    Attack(
        name: "votes",
        summary: "500 invented names of 256 bytes vote on 200 cards, and ten don't read the column",
        seconds: .init(quick: 20, full: 40), cards: 200
    ) { attacker in
        let connection = try attacker.welcomed()
        try connection.send(message(subscribe("column", #"{"column":"todo"}"#, ref: 1)))
        var cards: [String] = []
        while cards.isEmpty {
            if case .snapshot(_, _, let value) = try connection.nextFrame() {
                cards = value["rows"]?.json.array?.compactMap { $0["id"]?.string } ?? []
                guard !cards.isEmpty else { throw Failure("The board has no cards.") }
            }
        }
        try connection.send(message(#"{"op":"unsubscribe","ref":1}"#))
        for voter in 0..<500 {
            let name = String(repeating: "𝔞", count: 60) + "\(1000 + voter)"
            let client = try attacker.welcomed(token: name)
            try client.send(
                batch(
                    cards.enumerated().map { dispatch($0 + 1, "Vote", #"{"card":"\#($1)"}"#) }))
            try client.settle(cards.count)
        }
        for _ in 0..<10 {
            let reader = try attacker.welcomed(receiveBuffer: 4096)
            try reader.send(message(subscribe("column", #"{"column":"todo"}"#, ref: 1)))
            attacker.kept.append(reader)
        }
        var seq = 0
        while !attacker.isOver {
            seq += 1
            let card = cards[seq % cards.count]
            try connection.send(
                message(dispatch(seq, "EditCard", #"{"card":"\#(card)","text":"\#(seq)"}"#)))
            try connection.settle(seq)
        }
    },
    Attack(
        name: "names",
        summary:
            "1,000 invented names of 256 bytes are present, 200 of them look who is, and others "
            + "come and go",
        seconds: .init(quick: 6, full: 15)
    ) { attacker in
        func come(_ number: Int) throws -> RawConnection {
            try attacker.welcomed(token: String(repeating: "𝔞", count: 56) + "\(number)")
        }
        var number = attacker.number * 1_000_000
        for index in 0..<1_000 {
            number += 1
            let client = try come(number)
            if index < 200 { try client.send(message(subscribe("present", ref: 1))) }
            attacker.kept.append(client)
            for reader in attacker.kept.prefix(200) where index % 50 == 0 { try reader.drain() }
        }
        while !attacker.isOver {
            number += 1
            _ = try come(number)
            for reader in attacker.kept.prefix(200) { try reader.drain() }
        }
    },
    Attack(
        name: "moves",
        summary: "moves two cards one above the other, again and again, on a board of 10,000",
        // A message's 1,000 moves are made in one turn, on a slow machine in 66 ms.
        bound: .init(p99: 100), cards: 10_000
    ) { attacker in
        let connection = try attacker.welcomed()
        try connection.send(message(subscribe("column", #"{"column":"todo","limit":3}"#, ref: 1)))
        var cards: [String] = []
        while cards.count < 3 {
            if case .snapshot(_, _, let value) = try connection.nextFrame() {
                cards = value["rows"]?.json.array?.compactMap { $0["id"]?.string } ?? []
            }
        }
        var seq = 0
        while !attacker.isOver {
            let frames = (seq + 1...seq + 1000).map { number in
                let (card, before) = number % 2 == 0 ? (cards[1], cards[2]) : (cards[2], cards[1])
                return dispatch(
                    number, "MoveCard",
                    #"{"card":"\#(card)","column":"todo","before":"\#(before)"}"#)
            }
            seq += 1000
            try connection.send(batch(frames))
            try connection.settle(seq)
        }
    },
]

/// Does something to the board again and again, and reads what all are sent.
private func act(_ attacker: Attacker) throws {
    let connection = try attacker.welcomed()
    var seq = 0
    while !attacker.isOver {
        let actions = (seq + 1...seq + 200).map { number in
            number % 2 == 0
                ? dispatch(number, "AddCard", #"{"column":"doing","text":"One more"}"#)
                : dispatch(number, "Say", #"{"text":"Anything"}"#)
        }
        seq += 200
        try connection.send(batch(actions))
        try connection.settle(seq)
        for client in attacker.kept { try client.drain() }
    }
}
