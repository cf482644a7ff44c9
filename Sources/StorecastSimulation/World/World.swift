import StorecastMirror
import StorecastSync
import StorecastWire

/// One run of a scenario: a server and its clients, what lies between them, and the checks.
final class World {
    let scenario: Scenario
    let room: RoomKit
    let time = VirtualTime()
    let truth: any Truth
    private let openJournal: () -> any Journal
    /// Nil if the journal isn't simulated.
    private let disk: SimulatedDisk?
    /// What goes wrong with the next appends, in order.
    var faults: [JournalFault] = []
    /// Whether nothing goes wrong any more.
    private(set) var isHealing = false
    /// The server, unless it is down.
    private(set) var process: ServerProcess?
    /// By number.
    private(set) var clients: [SimulatedClient] = []
    private(set) var violation: Violation?
    private(set) var actions = 0

    var trace: Trace
    var checks = Checks()
    /// Every client that ever was, by its id.
    private var everyone: [String: SimulatedClient] = [:]
    /// All lives of the server, as what they had sent may still be under way.
    private var processes: [ServerProcess] = []
    private var connectionCount = 0
    private var generations = 0
    /// Whether this is one of the seeds in which clients do what is rare.
    let hasRarities: Bool
    private var topics: [[UInt8]: Topic] = [:]

    init(
        _ scenario: Scenario, _ room: RoomKit, _ openJournal: (() -> any Journal)?,
        isRecording: Bool
    ) {
        self.scenario = scenario
        self.room = room
        trace = Trace(isRecording: isRecording)
        var random = SeededGenerator(seed: scenario.seed, for: .restoration)
        let disk = SimulatedDisk(epoch: randomID(using: &random))
        self.disk = openJournal == nil ? disk : nil
        self.openJournal = openJournal ?? { disk }
        truth = room.truth(scenario.limits)
        var chance = SeededGenerator(seed: scenario.seed, for: .rarity)
        hasRarities = chance.happens(oneIn: 24)
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
            violate(.rest, "Nothing happens any more, and yet not everything has ended.")
        }
        processes.forEach(bury)
        time.end()
    }

    // MARK: The end

    /// From now on nothing goes wrong.
    private func heal() {
        note(.step, 0, 0) { "nothing goes wrong any more" }
        isHealing = true
        faults = []
        if process == nil { boot() }
        for connection in process?.connections ?? [] { connection.heal() }
        for client in clients where client.wasThere {
            client.storage?.failure = nil
            client.arrive()
            touch(client)
        }
        // Of hundreds of clients on slow connections some heartbeat is always under way.
        time.after(.seconds(300)) { [unowned self] in
            for connection in process?.connections ?? [] { connection.calm() }
        }
        awaitRest(until: time.now + .seconds(600))
    }

    private func awaitRest(until limit: Duration) {
        time.after(.milliseconds(200)) { [unowned self] in
            guard let reason = unrest else { return rest() }
            guard time.now < limit else { return violate(.rest, reason) }
            awaitRest(until: limit)
        }
    }

    /// What goes on still, or nil.
    private var unrest: String? {
        guard let process else { return "the server is down" }
        if !process.isIdle { return "the room has something to do" }
        if process.connections.contains(where: { $0.isOver || $0.client == nil }) {
            return "the server hasn't noticed that a connection is over"
        }
        for client in clients {
            if let occupation = client.occupation { return "client \(client.number) \(occupation)" }
        }
        return nil
    }

    // MARK: The server

    func boot() {
        guard process == nil else { return }
        let journal = openJournal()
        if processes.isEmpty {
            journal.open(ServerProcess.path) { [truth] result in
                if case .success(let history) = result { truth.begin(history.epoch, keeping: 0) }
            }
        }
        let new = ServerProcess(processes.count, journal: journal, in: self)
        note(.server, new.number, 0) { "starts" }
        processes.append(new)
        process = new
    }

    /// The process is no more; its connections break, and clients may notice late.
    func ended(_ process: ServerProcess) {
        guard self.process === process else { return }
        self.process = nil
        var random = SeededGenerator(seed: scenario.seed, for: .restoration, process.number)
        for connection in process.connections { breakUp(connection, &random) }
        bury(process)
        time.after(isHealing ? .zero : random.duration(upTo: .seconds(5))) { [unowned self] in
            boot()
        }
    }

    /// The journal's newest entries are gone: what is left begins another history.
    func restoreJournal(_ random: inout SeededGenerator) {
        guard let disk else { return }
        let lost = disk.restore(losing: random.below(20), as: randomID(using: &random))
        truth.begin(disk.epoch, keeping: disk.records.count)
        note(.journal, 0, lost) { "loses its last \(lost) entries, epoch \(disk.epoch)" }
    }

    /// Takes the dead apart: rooms and sessions hold each other.
    private func bury(_ process: ServerProcess) {
        process.dismantle()
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
            if let rule = truth.take(record) { violate(.rule(rule), "It doesn't hold.") }
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
        everyone[client.session.client] = client
    }

    /// Whose id it is, or was; nil if it isn't a client's.
    func owner(of id: String) -> SimulatedClient? { everyone[id] }

    /// Another client comes in the place of one that is gone.
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

    /// The connection breaks: each end notices at once, later, or when it has heard nothing for
    /// long.
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
        // Bytes, so that nothing under test has a part in what is the same.
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
