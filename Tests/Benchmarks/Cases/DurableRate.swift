import MeasureSupport
import StorecastServer
import StorecastSQLite
import TestSupport

/// Clients that dispatch to a server that keeps what it acknowledges; beside a server in memory,
/// and beside the same rows without a server.
enum DurableRate: Benchmark {
    static let name = "durable"
    static let summary = "Actions a second, acked when they are kept, by where that is"

    static func run(_ scale: Scale, _ table: inout Table) async throws {
        let directory = try TemporaryDirectory()
        table.add(
            "the disk: 4 KiB more and fdatasync",
            Measurement(
                try DiskSync.microseconds(directory.file("sync"), count: scale.pick(100, 2_000))),
            "µs")
        for clients in [1, 10, 100] {
            try measure(clients, inFlight: 1, directory, scale, &table)
        }
        try measure(100, inFlight: 32, directory, scale, &table)
        table.note(
            "`machine` survives a crash of the machine, `process` the end of the process; `server` "
                + "is the processor time of the server's process.")
    }

    private static func measure(
        _ clients: Int, inFlight: Int, _ directory: TemporaryDirectory, _ scale: Scale,
        _ table: inout Table
    ) throws {
        let all = clients * inFlight
        // A few hundred waits for the disk, and no less than can be measured where there is none.
        let kept = min(all * scale.pick(20, 200), max(all, scale.pick(4_000, 40_000) / all * all))
        var contenders = try servers(clients, inFlight, directory, kept)
        let plain = try PlainInserts(
            directory.file("plain-\(all)"), type: Vote.wireName, payload: payload())
        if all > 1 {
            let single = scale.pick(20, 200)
            contenders.append(
                Contender(label: "plain GRDB, one a transaction", count: single) {
                    try plain.insert(single, batch: 1)
                })
        }
        contenders.append(
            Contender(
                label: "plain GRDB, \(all == 1 ? "one" : "\(all)") a transaction", count: kept
            ) {
                try plain.insert(kept, batch: all)
            })
        // In turns, so that what else the machine does touches all alike; the first warms up.
        for run in 0...scale.runs {
            for contender in contenders { try contender.measure(isWarmingUp: run == 0) }
        }
        let who = clients == 1 ? "1 client" : "\(clients) clients"
        let label = inFlight == 1 ? who : "\(who), \(inFlight) in flight each"
        for contender in contenders { contender.report(label, to: &table) }
        table.add(
            "\(label): machine : \(contenders[contenders.count - 1].label)",
            contenders[0].ratio(to: contenders[contenders.count - 1]), "times the actions")
    }

    private static func servers(
        _ clients: Int, _ inFlight: Int, _ directory: TemporaryDirectory, _ kept: Int
    ) throws -> [Contender] {
        let all = clients * inFlight
        let process = ServedJournal(file: directory.file("process-\(all)"), durability: .process)
        let journals = [
            ("machine", ServedJournal(file: directory.file("machine-\(all)")), kept),
            ("process", process, max(kept, 2_000)), ("memory", ServedJournal(), max(kept, 2_000)),
        ]
        return try journals.map { label, journal, count in
            let server = try ChildProcess(.server, journal)
            let dispatcher = try RawDispatcher(
                port: server.port, connections: clients, firstNumber: 1, type: Vote.wireName,
                payload: payload(), inFlight: inFlight)
            return Contender(label: label, count: count, server: server) {
                try dispatcher.dispatch(count / clients)
            }
        }
    }

    private static func payload() throws -> [UInt8] { try JSONCoding.encode(Vote()) }
}

/// One of those that keep actions in turn.
private final class Contender {
    let label: String
    private let count: Int
    private let server: ChildProcess?
    private let run: () throws -> Void
    private var rates: [Double] = []
    private var costs: [Double] = []

    /// - Parameter run: keeps `count` actions.
    init(
        label: String, count: Int, server: ChildProcess? = nil, _ run: @escaping () throws -> Void
    ) {
        self.label = label
        self.count = count
        self.server = server
        self.run = run
    }

    func measure(isWarmingUp: Bool) throws {
        let before = server?.processorTime ?? 0
        let watch = Stopwatch()
        try run()
        if isWarmingUp { return }
        rates.append(Double(count) / watch.seconds)
        costs.append(((server?.processorTime ?? 0) - before) * 1e6 / Double(count))
    }

    func report(_ who: String, to table: inout Table) {
        table.add("\(who): \(label)", Measurement(rates), "actions/s")
        if server != nil { table.add("… server", Measurement(costs), "CPU µs/action") }
    }

    func ratio(to other: Contender) -> Measurement {
        Measurement(zip(rates, other.rates).map { $0 / $1 })
    }
}
