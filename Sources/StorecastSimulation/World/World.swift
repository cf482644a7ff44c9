import StorecastMirror
import StorecastRoom
import StorecastWire

/// One run of a scenario: a server, its clients, the network between them, and the checks.
final class World {
    let scenario: Scenario
    let room: AnySimulatedRoom
    let time = VirtualTime()
    let model: any RoomModel
    /// Nil for that of the cluster.
    private let openJournal: (() -> any Journal)?
    /// What the servers have in common, if there are several.
    private(set) var cluster: (any SimulatedCluster)?
    /// Nil if the journal isn't simulated.
    private let disk: SimulatedDisk?
    /// How the next appends fail, in order.
    var faults: [JournalFault] = []
    /// Whether no more faults are injected.
    private(set) var isHealing = false
    /// By place; nil where it is down.
    private(set) var servers: [ServerProcess?]
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
    private var linkCount: UInt64 = 0
    /// Which pairs of servers can't reach one another, and until when.
    private var parted: [Set<Int>: Duration] = [:]
    private var generations = 0
    /// Whether this is one of the seeds in which clients dispatch rare actions.
    let hasRareActions: Bool
    private var topics: [[UInt8]: Topic] = [:]

    init(
        _ scenario: Scenario, _ room: AnySimulatedRoom, _ openJournal: (() -> any Journal)?,
        cluster: ClusterMaker? = nil, isRecording: Bool
    ) {
        self.scenario = scenario
        self.room = room
        trace = Trace(isRecording: isRecording)
        var random = SeededGenerator(seed: scenario.seed, for: .restoration)
        let disk = SimulatedDisk(epoch: randomID(using: &random))
        let isShared = cluster != nil && scenario.servers > 0
        self.disk = openJournal == nil && !isShared ? disk : nil
        self.openJournal = isShared ? nil : openJournal ?? { disk }
        servers = Array(repeating: nil, count: max(1, scenario.servers))
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
        if isShared { self.cluster = cluster?(scenario.seed, self) }
        for place in servers.indices { boot(place) }
    }

    /// Those that are there.
    var running: [ServerProcess] { servers.compactMap { $0 } }

    /// The server, if there is only one, and it is there.
    var process: ServerProcess? { servers[0] }

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
        while violation == nil, !checks.isAtRest, time.runNext() {
            check()
            if time.standsStill { violate(.rest, "Something goes on and on, and no time passes.") }
        }
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
        cluster?.heal()
        parted = [:]
        for place in servers.indices where servers[place] == nil { boot(place) }
        for server in running {
            for connection in server.connections { connection.heal() }
            for link in server.links { link.heal() }
        }
        for client in clients where client.wasActive {
            client.storage?.failure = nil
            client.arrive()
            touch(client)
        }
        // With hundreds of clients on slow connections, some heartbeat is always under way.
        time.after(.seconds(300)) { [unowned self] in
            for server in running {
                for connection in server.connections { connection.removeDelays() }
                for link in server.links { link.removeDelays() }
            }
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
        for server in servers {
            guard let server else { return "a server is down" }
            if server.stands { return "a server stands still" }
            if !server.isIdle { return "a room has something to do" }
            if server.connections.contains(where: { $0.isOver || $0.client == nil })
                || server.links.contains(where: \.isOver) || server.uplink?.isCut == true
            {
                return "a server hasn't noticed that a connection is over"
            }
        }
        for server in running {
            guard let mirror = server.front?.room as? MirroredRoom else { continue }
            if !mirror.isIdle, !mirror.isConnected { return "an edge has lost the room" }
        }
        let open = running.compactMap(\.room).filter { !$0.hasFailed }
        if open.count > 1 { return "several servers have the room" }
        if let room = open.first, room.position != model.position {
            return "the server that has the room is behind"
        }
        for client in clients {
            if let work = client.pendingWork { return "client \(client.number) \(work)" }
        }
        return nil
    }

    // MARK: The server

    func boot(_ place: Int) {
        guard servers[place] == nil else { return }
        let journal = openJournal?()
        if processes.isEmpty {
            journal?.open(ServerProcess.path) { [model] result in
                if case .success(let history) = result {
                    model.begin(history.epoch, keeping: 0, [])
                }
            }
            if let cluster { model.begin(cluster.epoch, keeping: 0, []) }
        }
        let new = ServerProcess(processes.count, at: place, journal: journal, in: self)
        note(.server, new.number, 0) { "starts" }
        processes.append(new)
        servers[place] = new
    }

    func server(at place: Int) -> ServerProcess? {
        servers.indices.contains(place) ? servers[place] : nil
    }

    func newLinkID() -> UInt64 {
        linkCount += 1
        return linkCount << 32
    }

    /// Two servers can't reach one another for a while.
    func part(_ first: ServerProcess, _ second: ServerProcess, for time: Duration) {
        guard first !== second else { return }
        note(.server, first.number, 6) { "can't reach \(second.number) for \(time)" }
        parted[[first.place, second.place]] = self.time.now + time
        var random = SeededGenerator(seed: scenario.seed, for: .parting, first.number)
        for (owner, edge) in [(first, second), (second, first)] {
            for link in owner.links where link.edge === edge { link.breakUp(&random) }
        }
    }

    func isParted(_ first: ServerProcess, _ second: ServerProcess) -> Bool {
        parted[[first.place, second.place]].map { $0 > time.now } ?? false
    }

    /// The process has ended; its connections break, and clients may notice late.
    func ended(_ process: ServerProcess) {
        guard servers[process.place] === process else { return }
        servers[process.place] = nil
        var random = SeededGenerator(seed: scenario.seed, for: .restoration, process.number)
        for connection in process.connections { breakUp(connection, &random) }
        for link in running.flatMap(\.links) where link.edge === process {
            link.breakUp(&random)
        }
        for link in process.links { link.breakUp(&random) }
        process.dismantle()
        time.after(isHealing ? .zero : random.duration(upTo: .seconds(5))) { [unowned self] in
            boot(process.place)
        }
    }

    /// The journal loses its newest entries; the others begin another history.
    func restoreJournal(_ random: inout SeededGenerator) {
        guard let disk else { return }
        let lost = disk.restore(losing: random.below(20), as: randomID(using: &random))
        model.begin(disk.epoch, keeping: disk.records.count, [])
        note(.journal, 0, lost) { "loses its last \(lost) entries, epoch \(disk.epoch)" }
    }

    func becameDurable(_ batch: [JournalEntry]) {
        for entry in batch {
            becameDurable(encoded { try JournalRecord(entry) }, at: process)
        }
    }

    private func becameDurable(_ record: JournalRecord, at server: ServerProcess?) {
        actions += 1
        note(.journal, server?.number ?? 0, record.actions.count) {
            "keeps \(record.client.prefix(6)) #\(record.seq) "
                + (record.rejection.map { "rejected: \($0)" }
                    ?? record.actions.map { $0.type }.joined(separator: ", "))
        }
        if let rule = model.take(record) { violate(.rule(rule), "It doesn't hold.") }
        check(record, keptBy: server)
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
        connectionCount += 1
        guard let server = drawnServer(connectionCount, for: client) else { return nil }
        let connection = SimulatedConnection(
            connectionCount, from: client, to: server, in: self)
        server.accept(connection)
        return connection
    }

    /// Any of the servers that are there and don't stand still; without faults one after the other,
    /// so that each client finds the one that has the room, if no other lets it in.
    private func drawnServer(_ number: Int, for client: SimulatedClient) -> ServerProcess? {
        if servers.count == 1 { return process }
        let willing = running.filter { !$0.stands }
        if willing.isEmpty { return nil }
        if isHealing { return willing[client.nextServer() % willing.count] }
        var random = SeededGenerator(seed: scenario.seed, for: .choice, number)
        return random.pick(willing)
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

    /// The history that a position is in which a client was told.
    func history(of position: Position, for client: SimulatedClient) -> Int? {
        model.history(of: position, in: client.session.term)
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

extension World: ClusterSurroundings {
    var now: Duration { time.now }

    func after(_ delay: Duration, _ body: @escaping () -> Void) { time.after(delay, body) }

    func kept(_ records: [JournalRecord], by server: Int) {
        touchServer()
        for record in records { becameDurable(record, at: processes[server]) }
    }

    func began(_ term: String) { model.begin(term: term) }

    func lostEnd(keeping records: Int, _ terms: [(id: String, records: Int)]) {
        guard let cluster else { return }
        note(.journal, 1, records) { "the log has lost its end: \(records) records are left" }
        model.begin(cluster.epoch, keeping: records, terms)
    }

    func broken(_ finding: String) { violate(.durable, finding) }

    func note(_ text: String) { note(.journal, 0, text.utf8.count) { text } }
}
