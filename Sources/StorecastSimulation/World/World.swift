import StorecastMirror
import StorecastRoom
import StorecastWire

/// One run of a scenario: a server, its clients, the network between them, and the checks.
final class World {
    let scenario: Scenario
    let room: AnySimulatedRoom
    let time = VirtualTime()
    let model: any RoomModel
    private let openJournal: () -> any Journal
    /// Nil if the journal isn't simulated.
    private let disk: SimulatedDisk?
    /// How the next appends fail, in order.
    var faults: [JournalFault] = []
    /// Whether no more faults are injected.
    private(set) var isHealing = false
    /// The server, unless it is down.
    private(set) var process: ServerProcess?
    /// By number.
    private(set) var clients: [SimulatedClient] = []
    private(set) var violation: Violation?
    private(set) var actions = 0

    var trace: Trace
    var checks = Checks()
    /// All clients that ever were, by id.
    private var clientsByID: [String: SimulatedClient] = [:]
    /// All processes of the server, as what they sent may still be under way.
    private var processes: [ServerProcess] = []
    private var connectionCount = 0
    private var generations = 0
    /// Whether this is one of the seeds in which clients dispatch rare actions.
    let hasRareActions: Bool
    private var topics: [[UInt8]: Topic] = [:]

    init(
        _ scenario: Scenario, _ room: AnySimulatedRoom, _ openJournal: (() -> any Journal)?,
        isRecording: Bool
    ) {
        self.scenario = scenario
        self.room = room
        trace = Trace(isRecording: isRecording)
        var random = SeededGenerator(seed: scenario.seed, for: .restoration)
        let disk = SimulatedDisk(epoch: randomID(using: &random))
        self.disk = openJournal == nil ? disk : nil
        self.openJournal = openJournal ?? { disk }
        model = room.model(scenario.limits)
        var chance = SeededGenerator(seed: scenario.seed, for: .rareActions)
        hasRareActions = chance.happens(oneIn: 24)
        for number in 0..<scenario.clients {
            let isStored = scenario.storedOutboxes > 0 && number % scenario.storedOutboxes == 0
            add(
                SimulatedClient(
                    number, generation: 0, as: person(number),
                    isStored ? MemoryOutboxStorage() : nil, in: self))
        }
        boot()
    }

    private func person(_ number: Int) -> Identity {
        room.people[number % room.people.count]
    }

    /// Runs it to its end, or to the first violation.
    func run() {
        for step in scenario.steps {
            time.at(step.time) { [unowned self] in perform(step) }
        }
        let end = scenario.steps.last?.time ?? .zero
        time.at(end) { [unowned self] in heal() }
        while violation == nil, !checks.isAtRest, time.runNext() { check() }
        if violation == nil, !checks.isAtRest {
            violate(.rest, "There are no more events, and not everything has come to rest.")
        }
        for process in processes { process.dismantle() }
        time.end()
    }

    // MARK: The end

    /// Injects no more faults, and ends those that last.
    private func heal() {
        note(.step, 0, 0) { "no more faults" }
        isHealing = true
        faults = []
        if process == nil { boot() }
        for connection in process?.connections ?? [] { connection.heal() }
        for client in clients where client.wasActive {
            client.storage?.failure = nil
            client.arrive()
            touch(client)
        }
        // With hundreds of clients on slow connections, some heartbeat is always under way.
        time.after(.seconds(300)) { [unowned self] in
            for connection in process?.connections ?? [] { connection.removeDelays() }
        }
        awaitRest(until: time.now + .seconds(600))
    }

    private func awaitRest(until limit: Duration) {
        time.after(.milliseconds(200)) { [unowned self] in
            guard let reason = pendingWork else { return checkAtRest() }
            guard time.now < limit else { return violate(.rest, reason) }
            awaitRest(until: limit)
        }
    }

    /// What isn't done yet, or nil.
    private var pendingWork: String? {
        guard let process else { return "the server is down" }
        if !process.isIdle { return "the room has something to do" }
        if process.connections.contains(where: { $0.isOver || $0.client == nil }) {
            return "the server hasn't noticed that a connection is over"
        }
        for client in clients {
            if let work = client.pendingWork { return "client \(client.number) \(work)" }
        }
        return nil
    }

    // MARK: The server

    func boot() {
        guard process == nil else { return }
        let journal = openJournal()
        if processes.isEmpty {
            journal.open(ServerProcess.path) { [model] result in
                if case .success(let history) = result { model.begin(history.epoch, keeping: 0) }
            }
        }
        let new = ServerProcess(processes.count, journal: journal, in: self)
        note(.server, new.number, 0) { "starts" }
        processes.append(new)
        process = new
    }

    /// The process has ended; its connections break, and clients may notice late.
    func ended(_ process: ServerProcess) {
        guard self.process === process else { return }
        self.process = nil
        var random = SeededGenerator(seed: scenario.seed, for: .restoration, process.number)
        for connection in process.connections { breakUp(connection, &random) }
        process.dismantle()
        time.after(isHealing ? .zero : random.duration(upTo: .seconds(5))) { [unowned self] in
            boot()
        }
    }

    /// The journal loses its newest entries; the others begin another history.
    func restoreJournal(_ random: inout SeededGenerator) {
        guard let disk else { return }
        let lost = disk.restore(losing: random.below(20), as: randomID(using: &random))
        model.begin(disk.epoch, keeping: disk.records.count)
        note(.journal, 0, lost) { "loses its last \(lost) entries, epoch \(disk.epoch)" }
    }

    func becameDurable(_ batch: [JournalEntry]) {
        for entry in batch {
            let record = encoded { try JournalRecord(entry) }
            actions += 1
            note(.journal, 0, record.actions.count) {
                "keeps \(record.client.prefix(6)) #\(record.seq) "
                    + (record.rejection.map { "rejected: \($0)" }
                        ?? record.actions.map { $0.type }.joined(separator: ", "))
            }
            if let rule = model.take(record) { violate(.rule(rule), "It doesn't hold.") }
            check(record)
        }
    }

    // MARK: Clients and the network

    private func add(_ client: SimulatedClient) {
        if client.number == clients.count {
            clients.append(client)
        } else {
            clients[client.number] = client
        }
        clientsByID[client.session.client] = client
    }

    /// The client that has, or had, this id; nil if there is none.
    func client(withID id: String) -> SimulatedClient? { clientsByID[id] }

    /// Replaces a client that has crashed by a new process.
    func replace(_ client: SimulatedClient, _ random: inout SeededGenerator) {
        client.end()
        generations += 1
        if let storage = client.storage {
            storage.failure = nil
            storage.crash(keeping: random.below(storage.unsynced.count + 1))
        }
        let new = SimulatedClient(
            client.number, generation: generations, as: person(client.number), client.storage,
            in: self)
        new.takeOver(client)
        add(new)
    }

    /// Nil if the server is down.
    func connect(_ client: SimulatedClient) -> SimulatedConnection? {
        guard let process else { return nil }
        connectionCount += 1
        let connection = SimulatedConnection(
            connectionCount, from: client, to: process, in: self)
        process.accept(connection)
        return connection
    }

    /// Cuts the connection: each end notices at once, later, or by its heartbeat.
    func breakUp(_ connection: SimulatedConnection, _ random: inout SeededGenerator) {
        connection.cut(keeping: random.below(3))
        let noticed = random.pick([.zero, random.duration(upTo: .seconds(5)), .seconds(60)])
        time.after(noticed) { connection.serverNoticesEnd() }
        guard !random.happens(oneIn: 3) else { return }
        let (delay, client) = (random.duration(upTo: .seconds(3)), connection.client)
        time.after(delay) {
            guard client?.connection === connection else { return }
            client?.disconnect(because: "the connection broke")
        }
    }

    func topic(_ selection: String, _ parameters: JSON?) -> Topic {
        // Bytes, so that no code under test decides equality.
        let key = Array("\(selection) \(parameters?.description ?? "")".utf8)
        if let topic = topics[key] { return topic }
        let topic = Topic(number: topics.count, selection: selection, parameters: parameters)
        topics[key] = topic
        return topic
    }

    // MARK: What happened

    /// The simulated time of day.
    var timeOfDay: Timestamp {
        Timestamp(secondsSince1970: 1_700_000_000 + time.now / .seconds(1))
    }

    func note(
        _ subject: Trace.Subject, _ number: Int, _ amount: Int, _ text: () -> String
    ) {
        trace.note(time.now, subject, number, amount, text)
    }

    func violate(_ promise: Violation.Promise, _ finding: String) {
        guard violation == nil else { return }
        note(.promise, 0, finding.utf8.count) { "broken: \(promise). \(finding)" }
        violation = Violation(promise: promise, finding: finding, time: time.now)
    }
}
