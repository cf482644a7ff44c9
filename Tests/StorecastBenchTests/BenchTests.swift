import Dispatch
import StorecastClient
import StorecastServer
import StorecastSync
import StorecastWire
import Synchronization
import TestSupport
import Testing

@testable import StorecastBench

/// Loads on servers of the same process: what is counted, never how long it takes.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct BenchTests {
    struct Tally: Codable, Sendable {
        struct Add: SyncAction { var number: Int }

        var count = 0
        var sum = 0

        static let sums = Selection("sum") { (tally: Tally) in tally.sum }
        static let room = RoomDefinition(
            state: Tally(), actions: [Add.self], selections: [sums]
        ) { tally, action in
            guard let add = action as? Add else { return }
            tally.count += 1
            tally.sum += add.number
        }
        .validate(Add.self) { tally, add, _ in
            if add.number < 0 { throw Rejection(.invalid, "Only up.") }
        }
        .allowAll(.open)
    }

    private static let step = LoadStep(
        rate: 500, warmUp: .milliseconds(40), duration: .milliseconds(200))

    private static func plan(
        _ url: String, payload: String = #"{"number":{n}}"#
    ) throws -> LoadPlan {
        var plan = LoadPlan(
            server: .init(try #require(ServerURL(url))), action: Tally.Add.wireName)
        plan.connections = 3
        plan.payload = NumberedText(payload)
        return plan
    }

    /// Runs `body` with a server.
    private static func serve(_ body: (SyncServer, String) async throws -> Void) async throws {
        let server = SyncServer(port: 0, room: Tally.room)
        let url = try await server.start()
        do { try await body(server, url) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test(arguments: [1, 2, 4])
    func `every action that is due is sent, acked and counted, by all threads`(
        threads: Int
    ) async throws {
        try await Self.serve { server, url in
            var plan = try Self.plan(url)
            plan.threads = threads
            plan.mirrors = 2
            plan.subscriptions = [.init(name: "sum")]
            let bench = try await Bench(plan)
            let first = try #require(await bench.run(Self.step))
            let second = try #require(await bench.run(Self.step))
            await bench.close()
            for result in [first, second] {
                #expect(result.tally.sent + result.tally.unsent == 120)
                #expect(result.tally.acks.count == 100)
                #expect(result.tally.unanswered == 0)
                #expect(result.tally.lost == 0)
                #expect(result.tally.refusals.isEmpty)
                #expect(result.mirrors?.count == 100 - result.tally.unsent)
                #expect(result.unseen == 0)
                #expect(result.seconds == 0.2)
            }
            let room = try await server.room("/", of: Tally.self)
            let sent = first.tally.sent + second.tally.sent
            #expect(try await room.withStore { $0.state.count } == sent)
        }
    }

    @Test func `numbers rise from one step to the next, and none comes twice`() async throws {
        let seen = Mutex<[Int]>([])
        let room = Tally.room.validate(Tally.Add.self) { _, add, _ in
            seen.withLock { $0.append(add.number) }
        }
        let server = SyncServer(port: 0, room: room)
        let bench = try await Bench(try Self.plan(try await server.start()))
        for _ in 1...2 { _ = await bench.run(Self.step) }
        await bench.close()
        await server.stop()
        let numbers = seen.withLock(\.self)
        #expect(numbers.count >= 100)
        #expect(Set(numbers).count == numbers.count)
    }

    @Test func `followers say when the last of them had each version`() async throws {
        try await Self.serve { server, url in
            var plan = try Self.plan(url)
            plan.mirrors = 3
            plan.subscriptions = [.init(name: "sum")]
            let followers = try await Followers(plan)
            let begin = Clock.now
            _ = await followers.take()
            let bench = try await Bench(try Self.plan(url))
            _ = try #require(await bench.run(Self.step))
            await bench.close()
            let last = try await server.room("/", of: Tally.self).position.version
            var news: [Followers.News] = []
            #expect(
                await eventually {
                    news.append(await followers.take())
                    return news.last?.floors.last?.version == last
                })
            await followers.close()
            let floors = news.flatMap(\.floors)
            #expect(floors.map(\.version) == floors.map(\.version).sorted())
            #expect(floors.map(\.at) == floors.map(\.at).sorted())
            #expect(floors.allSatisfy { $0.at > begin && $0.at < Clock.now })
            #expect(news.reduce(0) { $0 + $1.messages } >= 3 * floors.count)
            #expect(news.allSatisfy { $0.lost == 0 })
        }
    }

    @Test func `rejections are counted by code, and aren't latencies`() async throws {
        try await Self.serve { _, url in
            let bench = try await Bench(try Self.plan(url, payload: #"{"number":-1}"#))
            let result = try #require(await bench.run(Self.step))
            await bench.close()
            #expect(result.tally.refusals.keys.map(\.string) == ["invalid"])
            #expect(result.tally.refusals["invalid"]?.count == result.tally.sent)
            #expect(result.tally.refusals["invalid"]?.first.hasPrefix("Only up.") == true)
            #expect(result.tally.acks.count == result.tally.unsent)
            #expect(result.tally.unanswered == 0)
        }
    }

    @Test func `actions that change nothing for the mirrors are unseen`() async throws {
        try await Self.serve { _, url in
            var plan = try Self.plan(url, payload: #"{"number":0}"#)
            plan.mirrors = 1
            plan.subscriptions = [.init(name: "sum")]
            let bench = try await Bench(plan)
            let result = try #require(await bench.run(Self.step))
            await bench.close()
            #expect(result.mirrors?.count == 0)
            #expect(result.unseen == 100 - result.tally.unsent)
        }
    }

    @Test func `a server that goes away is told, and the step ends in its time`() async throws {
        try await Self.serve { server, url in
            let bench = try await Bench(try Self.plan(url))
            await server.stop()
            let result = try #require(await bench.run(Self.step))
            await bench.close()
            #expect(result.tally.lost == 3)
            #expect(result.tally.loss?.contains("The server ended the connection: ") == true)
            #expect(result.tally.acks.count == 100, "What is never sent has waited too.")
            #expect(try !#require(LatencyBound("max=1000s")).holds(for: result))
        }
    }

    @Test func `what has no answer at the end has waited until then`() async throws {
        let isStuck = DispatchSemaphore(value: 0)
        let room = Tally.room.validate(Tally.Add.self) { _, _, _ in isStuck.wait() }
        let server = SyncServer(port: 0, room: room)
        let plan = try Self.plan(try await server.start())
        let thread = try LoadThread(name: "load")
        try await thread.open(plan, connections: [0, 1, 2], mirrors: [])
        let end = Clock.now
        let pace = Pace(
            rate: 30, connections: 3, firstNumber: 0, start: end - 2_000_000_000,
            measuredFrom: end - 1_000_000_000, end: end)
        await thread.begin(pace)
        await thread.giveUp(at: end + 1_000_000_000)
        let tally = await thread.take()
        for _ in 1...60 { isStuck.signal() }
        #expect(tally.sent == 60)
        #expect(tally.unanswered == 30)
        #expect(tally.acks.count == 30)
        #expect(tally.acks.quantile(0) >= 990_000_000)
        await thread.close()
        await server.stop()
    }

    @Test func `stopped in its warm-up a step has no result; afterwards it has`() async throws {
        try await Self.serve { _, url in
            let bench = try await Bench(try Self.plan(url))
            let stop = StopSignal()
            stop.set()
            let long = LoadStep(rate: 100, warmUp: .seconds(60), duration: .seconds(60))
            #expect(await bench.run(long, stop: stop) == nil)
            let cut = LoadStep(rate: 100, warmUp: .zero, duration: .seconds(60))
            let later = StopSignal()
            let result = await bench.run(cut, stop: later) { _ in later.set() }
            await bench.close()
            #expect(result.map { $0.seconds < 60 } == true)
            #expect(result?.tally.unanswered == 0)
        }
    }

    @Test func `a selection that the room hasn't stops it before it begins`() async throws {
        try await Self.serve { _, url in
            var plan = try Self.plan(url)
            plan.subscriptions = [.init(name: "total")]
            let error = await #expect(throws: LoadError.self) { try await Bench(plan) }
            #expect(error?.description.contains("no such selection") == true)
        }
    }

    @Test func `a room that isn't there, and a server that isn't, are said`() async throws {
        let server = SyncServer(port: 0, rooms: { _ in nil })
        let plan = try Self.plan(try await server.start())
        let noRoom = await #expect(throws: LoadError.self) { try await Bench(plan) }
        #expect(noRoom?.description.hasPrefix("The server ended the connection: ") == true)
        await server.stop()
        let noServer = await #expect(throws: LoadError.self) { try await Bench(plan) }
        #expect(noServer?.description.hasPrefix("Can't connect: Connection refused") == true)
    }

    @Test func `each connection has its token`() async throws {
        let names = Mutex<Set<String>>([])
        let server = SyncServer(port: 0) { _ in
            Tally.room
        } authenticate: { credentials in
            names.withLock { _ = $0.insert(credentials.token ?? "") }
            return Identity(credentials.token ?? "")
        }
        var plan = try Self.plan(try await server.start())
        plan.token = NumberedText("user-{c}")
        await (try Bench(plan)).close()
        await server.stop()
        #expect(names.withLock(\.self) == ["user-0", "user-1", "user-2"])
    }
}
