import Testing

@testable import StorecastSync

/// A room, some clients and bad luck, all from one seed.
///
/// Connections stall, break with or without the server's noticing, and come back; the journal takes
/// its time and fails. Everything is checked while it runs and when it has come to rest.
final class Simulation {
    private let seed: UInt64
    private var random: SeededGenerator
    private let loop = TestLoop()
    private let journal = TestJournal()
    private let definition: RoomDefinition<Shop>
    private let limits: SyncLimits
    private let room: Room<Shop>
    private var actors: [Actor] = []
    /// How rarely something breaks.
    private let calm: Int
    /// How slow the journal is.
    private let patience: Int

    /// A client, what it dispatched, and what it mirrors.
    private final class Actor {
        let client: TestClient
        var log: Mirror?
        var count: Mirror?
        /// The log with what is pending.
        var view: OptimisticMirror<[String]>?
        var dispatched: [(text: String, outcome: DispatchOutcome)] = []
        var seen: [JSON] = []

        init(_ client: TestClient) { self.client = client }
    }

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        calm = 1 + random.below(6)
        patience = 1 + random.below(6)
        let count = Selection("count") { (shop: Shop) in shop.log.count }
        var limits = SyncLimits()
        limits.window = 1 + random.below(20)
        limits.controlBytes = 1 + random.below(2000)
        limits.historyBytes = random.below(2000)
        self.limits = limits
        definition = RoomDefinition(
            state: Shop(), actions: [Write.self], selections: [Shop.log, count],
            reducer: Shop.reduce
        ).validate(Write.self) { shop, write, _ in
            if write.text.hasSuffix("!") { throw Rejection(.conflict, "Not so loud.") }
        }
        room = loop.open(definition, journal: journal, limits: limits, seed: seed)
        for number in 0..<1 + random.below(4) {
            actors.append(Actor(TestClient("client-\(number)-0123456789", on: loop)))
        }
    }

    func run(steps: Int) {
        for _ in 0..<steps {
            step(actors[random.below(actors.count)])
            for actor in actors { checkView(actor) }
        }
        comeToRest()
        check()
    }

    private func step(_ actor: Actor) {
        let client = actor.client
        switch random.below(20) {
        case 0...3: dispatch(actor)
        case 4: subscribe(actor)
        case 5: client.wire?.isWritable.toggle()
        case 6:
            if random.below(calm) == 0 {
                random.below(2) == 0 ? client.cut() : client.lose()
            }
        case 7: connect(actor)
        case 8...9: client.speak()
        case 10...12: client.arrive()
        case 13...15: client.read()
        case 16...17: loop.endTurn()
        case 18 where random.below(patience) == 0:
            journal.finish(journalEnd())
            loop.endTurn()
        default: loop.advance(by: Double(random.below(20)) / 10)
        }
    }

    private func journalEnd() -> TestJournal.End {
        switch random.below(1 + 2 * calm) {
        case 0: .refused
        case 1: .unknown(kept: random.below(2) == 0)
        default: .kept
        }
    }

    private func dispatch(_ actor: Actor) {
        let loud = random.below(6) == 0 ? "!" : ""
        let text = "\(actor.client.session.client) \(actor.dispatched.count)\(loud)"
        actor.dispatched.append((text, actor.client.dispatch(Write(text: text))))
    }

    private func subscribe(_ actor: Actor) {
        let session = actor.client.session
        if let log = actor.log, random.below(4) == 0 {
            log.observers = [:]
            actor.view = nil
            session.release(log)
            actor.log = nil
        } else if actor.log == nil {
            let log = session.mirror("log", nil)
            let count = session.mirror("count", nil)
            (actor.log, actor.count) = (log, count)
            actor.view = OptimisticMirror("log", on: actor.client) { lines, action in
                if let write = action as? Write { lines.append(write.text) }
            }
            count.observers[0] = { _ in }
            log.observers[0] = { [unowned self, unowned actor] in moved($0, actor) }
        }
    }

    private func connect(_ actor: Actor) {
        guard actor.client.wire == nil, actor.client.session.phase == .offline else { return }
        actor.client.connect(to: room)
    }

    /// A mirror is only ever what the log was, and moves forward only.
    private func moved(_ log: Mirror, _ actor: Actor) {
        guard let lines = log.value?.array else { return }
        let truth = room.store.state.log.map(JSON.string)
        #expect(truth.starts(with: lines), "seed \(seed): a mirror shows what never was")
        #expect(lines.count >= actor.seen.count, "seed \(seed): a mirror went back")
        actor.seen = lines
        if let count = actor.count, count.sub != nil, count.position == log.position {
            #expect(count.value?.int == lines.count, "seed \(seed): mirrors moved apart")
        }
    }

    /// Each dispatch is shown exactly once from the moment at which it was made, unless it was rejected.
    private func checkView(_ actor: Actor) {
        guard let shown = actor.view?.shown else { return }
        var counts: [String: Int] = [:]
        for line in shown { counts[line, default: 0] += 1 }
        for (text, outcome) in actor.dispatched {
            let count = counts[text] ?? 0
            switch outcome.settled {
            case .failure: #expect(count == 0, "seed \(seed): \(text) was rejected and is shown")
            // It may be rejected before all that came before it have their outcomes.
            case nil where text.hasSuffix("!"): #expect(count <= 1, "seed \(seed): \(text) twice")
            case .success, nil: #expect(count == 1, "seed \(seed): \(text) is shown \(count) times")
            }
        }
    }

    private func comeToRest() {
        for _ in 0..<400 {
            for actor in actors {
                connect(actor)
                actor.client.wire?.resume()
                actor.client.settle()
            }
            journal.finish()
            loop.endTurn()
            loop.advance(by: 2)
        }
    }

    private func check() {
        let log = room.store.state.log
        var expected: [String] = []
        for actor in actors {
            let client = actor.client
            #expect(
                client.byes.allSatisfy { $0.code == "replaced" },
                "seed \(seed): \(client.byes.map(\.title))")
            #expect(client.troubles.isEmpty, "seed \(seed): \(client.troubles)")
            #expect(client.session.pendingCount == 0, "seed \(seed): dispatches without outcome")
            for (text, outcome) in actor.dispatched {
                switch outcome.settled {
                case .success: #expect(!text.hasSuffix("!"), "seed \(seed): \(text) was reduced")
                case .failure(let rejection):
                    #expect(rejection.code == .conflict, "seed \(seed): \(rejection)")
                case nil: Issue.record("seed \(seed): \(text) has no outcome")
                }
            }
            let reduced = actor.dispatched.map(\.text).filter { !$0.hasSuffix("!") }
            let own = log.filter { $0.hasPrefix(client.session.client) }
            #expect(own == reduced, "seed \(seed): not each once, in its client's order")
            expected += reduced
            if let mirror = actor.log {
                #expect(
                    mirror.value == .array(log.map(JSON.string)), "seed \(seed): a stale mirror")
            }
            if let mirror = actor.count {
                #expect(mirror.value?.int == log.count, "seed \(seed): a stale mirror")
            }
        }
        #expect(log.count == expected.count, "seed \(seed)")
        #expect(room.position.version == UInt64(log.count), "seed \(seed)")
        checkReplay()
    }

    /// Whoever reads the log comes to the same state and knows the same of every client, whatever
    /// stands in it twice.
    private func checkReplay() {
        let again = loop.open(definition, journal: journal, limits: limits, seed: seed + 1)
        #expect(again.store.state == room.store.state, "seed \(seed)")
        #expect(again.position == room.position, "seed \(seed)")
        #expect(again.ledger.contents == room.ledger.contents, "seed \(seed)")
    }
}
