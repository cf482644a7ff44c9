import StorecastMirror
import StorecastRoom

extension Scenario {
    /// The scenario of a seed, with what the options override.
    ///
    /// - Parameter isCluster: whether there are several servers.
    init(seed: UInt64, _ options: SimulationOptions, isCluster: Bool = false) {
        var random = SeededGenerator(seed: seed, for: .scenario)
        let drawn = Self.clientCount(&random)
        let clients = options.clients ?? drawn
        let most = clients < 30 ? 30 + random.below(40 + clients * 30) : clients * 3
        self.init(
            seed: seed, clients: clients, steps: [], limits: Self.limits(&random),
            outbox: Self.outbox(&random), storedOutboxes: random.below(4),
            conditions: Self.conditions(&random),
            journalDelay: Self.delay(&random, .milliseconds(300)),
            losesSnapshots: random.happens(oneIn: 4),
            turn: Self.delay(&random, .milliseconds(5)),
            checking: Self.delay(&random, .milliseconds(200)))
        addSteps(options.steps ?? most, &random)
        if random.happens(oneIn: 4) {
            limits.clients = 1 + random.below(6)
            limits.rejections = random.below(random.pick([4, 40]))
        }
        // From a stream of its own, so that seeds keep the scenarios that they had before there
        // were several loops.
        var loopRandom = SeededGenerator(seed: seed, for: .loops)
        if loopRandom.happens(oneIn: 3) { loops = 2 + loopRandom.below(3) }
        relayDelay = Self.delay(&loopRandom, .milliseconds(300))
        // From another, as that was before values came in parts.
        var partRandom = SeededGenerator(seed: seed, for: .parts)
        hasParts = partRandom.happens(oneIn: 3)
        if hasParts { limits.partBytes = 4 + partRandom.below(partRandom.pick([8, 60, 400])) }
        // And another, as that was before identities expired.
        var tokenRandom = SeededGenerator(seed: seed, for: .tokens)
        if tokenRandom.happens(oneIn: 3) {
            tokenLife = .seconds(2) + tokenRandom.duration(upTo: .seconds(30))
            limits.renewalMargin = tokenRandom.duration(upTo: .seconds(20))
        }
        // And another, as that was before a turn's work was bounded.
        var workRandom = SeededGenerator(seed: seed, for: .work)
        if workRandom.happens(oneIn: 3) { boundWork(&workRandom) }
        if isCluster { addServers() }
    }

    /// Each kind of fault occurs in some seeds only.
    private mutating func addServers() {
        var random = SeededGenerator(seed: seed, for: .servers)
        servers = 2 + random.below(2)
        hasFronts = !random.happens(oneIn: 4)
        let end = steps.last?.time ?? .zero
        let kinds = [Operation.stand, .giveRoom, .part, .cutOff, .crashServer, .stopServer]
        let count = random.below(random.pick([4, 12, 30]))
        let weights = kinds.map { _ in random.pick([0, 1, 3]) }
        guard weights.contains(where: { $0 > 0 }) else { return }
        for _ in 0..<count {
            steps.append(
                Step(
                    time: random.duration(upTo: end), seed: random.next(),
                    operation: kinds[random.place(in: weights)]))
        }
        sortSteps()
    }

    /// Bounds by which work is put off that otherwise is done at once.
    private mutating func boundWork(_ random: inout SeededGenerator) {
        limits.turnWork = 1 + random.below(random.pick([300, 3000, 30_000]))
        limits.turnWorkPerConnection = 1 + random.below(limits.turnWork)
        limits.turnActions = 1 + random.below(random.pick([2, 20]))
        limits.writeBytes = 1 + random.below(random.pick([100, 2000]))
        if random.happens(oneIn: 2) {
            limits.transactionBytes = 1 + random.below(random.pick([300, 3000]))
        }
    }

    /// Mostly few, so that many seeds can be run; sometimes hundreds.
    private static func clientCount(_ random: inout SeededGenerator) -> Int {
        switch random.below(200) {
        case 0: 100 + random.below(150)
        case 1...6: 10 + random.below(30)
        case 7...60: 4 + random.below(6)
        default: 1 + random.below(4)
        }
    }

    private static func limits(_ random: inout SeededGenerator) -> SyncLimits {
        var limits = SyncLimits()
        limits.window = 1 + random.below(random.pick([4, 40, 400]))
        limits.controlBytes = 1 + random.below(random.pick([300, 4000, 64_000]))
        limits.historyBytes = random.below(random.pick([200, 4000, 64_000]))
        limits.heartbeat = 5 + random.below(26)
        limits.unloadAfter = random.duration(upTo: .seconds(20))
        limits.snapshots.entries = 1 + random.below(random.pick([5, 50, 500]))
        limits.snapshots.kept = random.pick([nil, 1, 2])
        if random.happens(oneIn: 4) { limits.lingeringGroups = random.below(4) }
        if random.happens(oneIn: 4) { limits.lingeringBytes = random.below(2000) }
        if random.happens(oneIn: 2) { limits.lingerTime = random.duration(upTo: .seconds(10)) }
        if random.happens(oneIn: 4) { limits.waitingBytes = 300 + random.below(4000) }
        if random.happens(oneIn: 8) { limits.subscriptions = 8 + random.below(8) }
        return limits
    }

    private static func outbox(_ random: inout SeededGenerator) -> OutboxLimits {
        guard random.happens(oneIn: 4) else { return OutboxLimits() }
        return OutboxLimits(
            count: 1 + random.below(20),
            whenFull: random.happens(oneIn: 2) ? .dropOldest : .refuseNewest)
    }

    private static func conditions(_ random: inout SeededGenerator) -> NetworkConditions {
        NetworkConditions(
            latency: delay(&random, .milliseconds(200)), jitter: delay(&random, .milliseconds(200)),
            burst: delay(&random, .milliseconds(200)),
            capacity: random.happens(oneIn: 2) ? .max : 1 + random.below(5000))
    }

    /// Zero in every third seed.
    private static func delay(
        _ random: inout SeededGenerator, _ longest: Duration
    ) -> Duration {
        random.happens(oneIn: 3) ? .zero : random.duration(upTo: longest)
    }

    /// Each kind of fault occurs in some seeds only, as it may hide errors that show without it.
    private mutating func addSteps(_ count: Int, _ random: inout SeededGenerator) {
        var time = Duration.zero
        let pace = Duration.milliseconds(1 + random.below(400))
        let weights = Operation.weights(&random)
        for _ in 0..<count {
            time += random.happens(oneIn: 60) ? random.duration(upTo: .seconds(40)) : .zero
            time += random.duration(upTo: pace)
            let operation = Operation.drawn(
                random.place(in: weights), client: random.below(clients), &random)
            steps.append(Step(time: time, seed: random.next(), operation: operation))
        }
        addArrivals(over: time, &random)
    }

    /// Every client arrives, most of them early.
    private mutating func addArrivals(over time: Duration, _ random: inout SeededGenerator) {
        for client in 0..<clients {
            let late = random.happens(oneIn: 4) ? time : time / 20
            steps.append(
                Step(
                    time: random.duration(upTo: late), seed: random.next(),
                    operation: .arrive(client)))
        }
        sortSteps()
    }

    /// A stable sort, which `sorted` doesn't promise to be.
    private mutating func sortSteps() {
        steps = steps.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }
}

extension Operation {
    /// How often each operation is drawn, by its place in ``drawn(_:client:_:)``.
    fileprivate static func weights(_ random: inout SeededGenerator) -> [Int] {
        // Normal work; then what occurs in half of the seeds, a little or a lot.
        let work = [40, 12, 4, 8]
        return work + (work.count..<count).map { _ in random.pick([0, 0, 2, 6]) }
    }

    private static let count = 21

    fileprivate static func drawn(_ place: Int, client: Int, _ random: inout SeededGenerator)
        -> Operation
    {
        switch place {
        case 0: .dispatch(client, count: random.happens(oneIn: 5) ? 1 + random.below(12) : 1)
        case 1: .subscribe(client)
        case 2: .unsubscribe(client)
        case 3: .arrive(client)
        case 4: .leave(client)
        case 5: .crash(client)
        case 6: .renew(client)
        case 7: .reconnect(client)
        case 8: .flood(client)
        case 9: .cut(client)
        case 10: .stall(client)
        case 11: .block(client)
        case 12: .crashServer
        case 13: random.happens(oneIn: 3) ? .restoreServer : .crashServer
        case 14: .stopServer
        case 15: .dispatchOnServer
        case 16: .journal(.unavailable)
        case 17: .journal(random.happens(oneIn: 2) ? .unknownKept : .unknownLost)
        case 18: .journal(.keptTwice)
        case 19: random.happens(oneIn: 2) ? .fillDisk(client) : .emptyDisk(client)
        default:
            .journal(
                random.happens(oneIn: 2)
                    ? .unfit : .stalled(random.duration(upTo: .seconds(20))))
        }
    }
}
