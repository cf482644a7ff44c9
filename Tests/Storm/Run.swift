import Foundation
import MeasureSupport
import StorecastClient

/// A run: three machines, their clients, one fault after the other, and what comes of it.
@MainActor final class Run {
    struct Plan {
        var duration: Duration
        var clients: Int
        var rooms: Int
        var rate: Double
        var seed: UInt64
        /// What may happen.
        var faults: [Fault]
        var setup: Host.Setup
    }

    let plan: Plan
    let hosts: [Host]
    let crew: Crew
    var random: SeededGenerator
    private var report = Report()

    /// How long it may take until everything goes on when nothing fails any more, and until rooms
    /// go on while one machine or program does.
    private static let patience = Duration.seconds(180)

    init(_ plan: Plan) {
        self.plan = plan
        random = SeededGenerator(seed: plan.seed)
        hosts = Network.machines.map { Host($0, plan.setup) }
        crew = Crew(
            clients: plan.clients, rooms: plan.rooms, rate: plan.rate, servers: hosts.map(\.url))
    }

    /// - Throws: ``BrokenPromise``.
    func run() async throws {
        do {
            try await begin()
            try await strikeAll()
            try await finish()
        } catch let broken as BrokenPromise {
            say(broken.description)
            for finding in crew.findings.dropFirst() { printNow(finding) }
            printNow(report.table)
            throw broken
        }
        printNow(report.table)
        printNow(
            "\(crew.acked) actions of \(crew.clients.count) clients were acked in \(crew.rooms.count) "
                + "rooms. All of them are there, once and in order.")
    }

    private func begin() async throws {
        let files = FileManager.default
        let document = Crew.document(clients: plan.clients)
        let key = (0..<4).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }.joined()
        for (path, text) in [(plan.setup.document, document), (plan.setup.key, key)] {
            guard
                files.createFile(
                    atPath: path, contents: Data(text.utf8),
                    attributes: [.posixPermissions: 0o600])
            else { throw Failure("'\(path)' can't be written.") }
        }
        for host in hosts { try await host.startNATS() }
        try await waitForNATS()
        try await startStorecasts()
        crew.start()
        try await recover()
    }

    private func startStorecasts() async throws {
        for host in hosts { try await host.startStorecast() }
    }

    // MARK: Faults

    private func strikeAll() async throws {
        var deck: [Fault] = []
        say("every client is there")
        let end = ContinuousClock.now + plan.duration
        while .now < end {
            if deck.isEmpty {
                deck = plan.faults
                random.shuffle(&deck)
            }
            crew.beginMeasure()
            try await pause(.seconds(3))
            report.add("no fault", crew.measure(Array(crew.rooms.indices)))
            try await strike(deck.removeLast())
        }
    }

    private func strike(_ fault: Fault) async throws {
        let strike = try await self.strike(of: fault)
        say("\(fault.rawValue) \(strike.target)")
        crew.beginMeasure()
        try await strike.begin()
        switch strike.course {
        case .isOver: break
        case .roomsGoOn:
            // Not the moment in which the last acks are still under way.
            try await pause(.seconds(5 + random.below(6)))
            try await wait(
                "rooms go on", missing: { crew.unwritten.map(\.path) }
            ) { crew.unwritten.isEmpty }
        case .nothingIsAcked(let task):
            try await pause(.seconds(2))
            let acked = crew.acked
            try await pause(.seconds(3 + random.below(6)))
            if crew.acked != acked {
                throw BrokenPromise(
                    "\(crew.acked - acked) actions were acked, and nobody can \(task).")
            }
        }
        try await strike.end()
        try await recover()
        let measure = crew.measure(strike.rooms)
        report.add(fault.title, measure)
        let gaps = measure.gaps.map { Figure.text($0) + " s" }.joined(separator: ", ")
        say(
            "\(fault.rawValue) is over: its \(measure.gaps.count) rooms weren't written for "
                + "[\(gaps)]; the slowest ack took \(Figure.text(measure.slowestAck)) s")
    }

    /// Waits until everything that runs is whole, and every client goes on.
    func recover() async throws {
        let (time, versions, schema) = (ContinuousClock.now, crew.rooms.map(\.version), leastSchema)
        for client in crew.clients { client.hurry() }
        try await waitForNATS()
        try await wait(
            "every client goes on",
            missing: { crew.unsettled(since: time, versions, schema: schema).map(\.name) }
        ) { crew.unsettled(since: time, versions, schema: schema).isEmpty }
    }

    /// The schema that the servers have; the least one while they have several.
    var leastSchema: Int { hosts.map(\.schema).min() ?? 1 }

    private func waitForNATS() async throws {
        for host in hosts {
            try await wait("NATS is whole", missing: { [host.name] }) {
                await host.hasHealthyNATS()
            }
        }
    }

    // MARK: The end

    /// Has every client finish, starts all servers anew, and compares what they read from the log
    /// with what all clients know.
    private func finish() async throws {
        crew.finish()
        try await wait(
            "every client has finished",
            missing: { writers.filter { !$0.isDone }.map(\.name) }
        ) { writers.allSatisfy(\.isDone) }
        for host in hosts { await host.killStorecast() }
        try await startStorecasts()
        for room in crew.rooms.indices {
            for host in hosts { try await compare(room, at: host) }
        }
        for client in crew.clients { client.hurry() }
        try await wait(
            "every mirror shows what the log has",
            missing: { crew.clients.filter { !isWhole($0) }.map(\.name) }
        ) { crew.clients.allSatisfy { isWhole($0) } }
        for host in hosts { try await host.stopStorecast() }
    }

    private var writers: [Client] { crew.clients.filter(\.isWriter) }

    private func isWhole(_ client: Client) -> Bool {
        guard !client.isWriter else { return client.state == Trail.list(after: client.dispatched) }
        guard let document = client.state else { return false }
        return problem(with: document, of: crew.writers[client.room]) == nil
    }

    /// Reads a room as somebody who was never there, at one of the servers.
    private func compare(_ place: Int, at host: Host) async throws {
        let room = crew.rooms[place]
        let connection = RemoteConnection(host.url + room.path)
        defer { connection.close() }
        let store = RemoteStore(selection: "value", parameters: ["path": ""], on: connection)
        try await wait("\(room.path) can be read", missing: { [host.name] }) { store.state != nil }
        guard let document = store.state, let position = store.position else { return }
        crew.saw(position, in: place)
        // Each action is one version.
        guard position.version == UInt64(room.acked) else {
            throw BrokenPromise(
                "\(room.path) is at version \(position.version) at \(host.name), and "
                    + "\(room.acked) actions were acked.")
        }
        if let problem = problem(with: document, of: crew.writers[place]) {
            throw BrokenPromise("\(room.path) at \(host.name): \(problem)")
        }
    }

    private func problem(with document: JSON, of writers: [Client]) -> String? {
        let (schema, expected) = (Crew.schema(of: document), leastSchema)
        guard schema == expected else { return "it has schema \(schema) in place of \(expected)." }
        for writer in writers {
            let list = document["\(writer.number)"]
            guard list != Trail.list(after: writer.dispatched) else { continue }
            return "client \(writer.number) wrote \(writer.dispatched) numbers, and its list is "
                + "\(list ?? .null)."
        }
        return nil
    }

    // MARK: Waiting

    /// Waits until something is so.
    ///
    /// - Throws: ``BrokenPromise`` if it takes too long, or anything else is wrong meanwhile.
    func wait(
        _ what: String, missing: () -> [String], _ isSo: () async throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            try check()
            if try await isSo() { return }
            guard .now < deadline else {
                let missing = missing()
                throw BrokenPromise(
                    "Not within \(Self.patience): \(what). Of \(missing.count) it isn't so: "
                        + missing.prefix(5).joined(separator: "; "))
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func pause(_ time: Duration) async throws {
        let end = ContinuousClock.now + time
        while .now < end {
            try check()
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Throws if a promise is broken already.
    private func check() throws {
        if let first = crew.findings.first { throw BrokenPromise(first) }
        for host in hosts { try host.check() }
    }

    /// Writes a line with the time, as the servers' logs have it.
    private func say(_ sentence: String) {
        printNow("\(Date.now.ISO8601Format()) \(sentence)")
    }
}

/// Writes a line without buffering it. Not with `fflush`, which would wait for the streams in which
/// threads wait for what programs say.
func printNow(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
