import MeasureSupport
import StorecastServer
import StorecastWire

/// What an action and its ack cost the server, one at a time, beside an echo of the same message.
enum AckCost: Benchmark {
    static let name = "ack"
    static let summary = "One action and its ack, 100 connections with one in flight each"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let (connections, count) = (100, scale.pick(20, 200))
        var rivals = Rivals()
        let typed = try ChildProcess(.server)
        rivals.add(
            "typed room", typed,
            try Exchange(with: typed, connections: connections, Vote.wireName) { _, _ in vote },
            count: count)
        let document = try ChildProcess(.document)
        rivals.add(
            "JSON room", document,
            try Exchange(
                with: document, connections: connections, SetValue.wireName
            ) { connection, number in #"{"path":"/\#(1_000 + connection)","value":\#(number)}"# },
            count: count)
        if let peer = try Peer.echo.start() {
            let clients = try (0..<connections).map { _ in try RawConnection(port: peer.port) }
            rivals.add(
                Peer.label, peer,
                Exchange(clients) { _, number in
                    Exchange.message(number: number, actions: 1, Vote.wireName) { _ in vote }
                }, count: count)
        }
        try rivals.measure(runs: scale.runs, count: connections * count)
        rivals.report("an action, or an echo", "action", to: Peer.label, &table)
    }

    private static let vote = #"{"card":"card-000123","by":1}"#
}

/// What each of many actions in a message costs the server.
enum BatchCost: Benchmark {
    static let name = "batches"
    static let summary = "64 actions in a message, the next when it is acked; the journal in memory"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let (actions, count) = (64, scale.pick(20, 1_000))
        for isMirrored in [false, true] {
            var rivals = Rivals()
            let typed = try ChildProcess(.server)
            rivals.add(
                "typed room", typed,
                try Exchange(
                    with: typed, actions: actions,
                    mirroring: isMirrored ? (Desk.tally.name, nil) : nil, Vote.wireName
                ) { _, _ in #"{"card":"card-000123","by":1}"# }, count: count)
            let document = try ChildProcess(.document)
            rivals.add(
                "JSON room", document,
                try Exchange(
                    with: document, actions: actions,
                    mirroring: isMirrored ? (JSONRoom.value.name, ["path": ""]) : nil,
                    IncrementValue.wireName
                ) { _, number in #"{"path":"/\#(100 + number % 64)"}"# }, count: count)
            try rivals.measure(runs: scale.runs, count: actions * count)
            let what = isMirrored ? "mirrored by who dispatches" : "without a mirror"
            rivals.report(what, "action", to: "", &table)
            rivals.reportRates(what, "actions", &table)
        }
    }
}
