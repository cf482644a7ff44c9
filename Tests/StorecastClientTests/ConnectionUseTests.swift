import Observation
import TestSupport
import Testing

@testable import StorecastClient
@testable import StorecastMirror

/// What a connection says of itself, and does for those who use it, on a network of the test's own.
@MainActor @Suite(.fewAtATime) struct ConnectionUseTests {
    private let network = ManualNetwork()

    private struct Locked: Error, CustomStringConvertible {
        let description = "The keychain is locked."
    }

    /// What can't be written.
    private struct Tell: SyncAction, Hashable {
        init() {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws { throw Locked() }
    }

    /// Whether a status comes that a task of the connection's brings about.
    private func comesTo(
        _ connection: RemoteConnection, _ matches: (RemoteConnection.Status) -> Bool
    ) async -> Bool {
        await eventually {
            network.settle()
            return matches(connection.status)
        }
    }

    @Test func `a token that can't be had is a try that failed, and why is said`() async {
        let connection = network.connect(token: { throw Locked() })
        let reason = "There is no token: The keychain is locked."
        let isOffline = await comesTo(connection) { status in
            if case .offline(let outage) = status { outage.reason == reason } else { false }
        }
        #expect(isOffline && network.connections.isEmpty)
        connection.close()
        network.settle()
    }

    @Test func `an action that can't be written is rejected at once, and isn't sent`() {
        let connection = network.connect()
        network.welcome()
        let dispatch = connection.dispatch(Tell())
        #expect(connection.pendingCount == 0)
        let rejection = #expect(throws: Rejection.self) { try dispatch.result.settled?.get() }
        #expect(rejection?.code == .invalid)
        #expect(rejection?.title == "The action can't be written as JSON.")
        #expect(rejection?.detail == "The keychain is locked.")
        network.settle()
        #expect(network.connection.sent.map(\.op) == ["hello"])
    }

    @Test func `a store whose parameters can't be written has a problem, and asks for nothing`() {
        let connection = network.connect()
        network.welcome()
        let told = Selection("told") { (_: Shelf, _: Tell) in 0 }
        let store = RemoteStore(told, Tell(), on: connection)
        network.settle()
        #expect(store.problem?.code == .invalidParameters && store.state == nil)
        #expect(network.connection.sent.map(\.op) == ["hello"])
    }

    @Test func `what middleware stops is said to be that`() {
        let store = RemoteStore(Shelf.books, on: network.connect())
        store.middleware = [{ _, _ in { _ in { _ in } } }]
        let dispatch = store.dispatch(PutBook(title: "Emma"))
        let rejection = #expect(throws: Rejection.self) { try dispatch.result.settled?.get() }
        #expect(rejection == Rejection(.invalid, "Middleware did not pass the action on."))
        #expect(store.connection.pendingCount == 0)
        // And nothing of an earlier one is taken for its outcome.
        store.middleware = []
        #expect(store.dispatch(PutBook(title: "Emma")).result.settled == nil)
        store.middleware = [{ _, _ in { _ in { _ in } } }]
        #expect(store.dispatch(PutBook(title: "Emma")).result.settled != nil)
    }

    @Test func `of a store only what has changed is told, and a problem leaves the state`() {
        let store = RemoteStore(Shelf.books, on: network.connect())
        func told(_ update: MirrorUpdate<[String]>) -> [String] {
            let names = ["state", "position", "isLive", "problem"]
            let tallies = names.map { _ in Tally() }
            let reads: [() -> Void] = [
                { _ = store.state }, { _ = store.position }, { _ = store.isLive },
                { _ = store.problem },
            ]
            for (read, tally) in zip(reads, tallies) {
                withObservationTracking(read, onChange: { tally.increase() })
            }
            store.take(update, nil)
            return zip(names, tallies).filter { $1.count == 1 }.map(\.0)
        }
        let (first, second) = (Position(epoch: "e", version: 1), Position(epoch: "e", version: 2))
        let forbidden = Rejection(.forbidden, "No.")
        var update = MirrorUpdate(state: ["Emma"], position: first, isLive: true)
        #expect(told(update) == ["state", "position", "isLive"])
        #expect(told(update) == [])
        update.position = second
        #expect(told(update) == ["position"])
        #expect(
            told(MirrorUpdate(position: second, problem: forbidden)) == ["isLive", "problem"])
        #expect(store.state == ["Emma"] && store.problem == forbidden && !store.isLive)
        update.state = ["Persuasion"]
        #expect(told(update) == ["state", "isLive", "problem"])
        #expect(store.state == ["Persuasion"] && store.problem == nil && store.isLive)
    }

    @Test func `what others know of a client isn't its id`() throws {
        let connection = network.connect()
        network.welcome()
        let client = try #require(network.connection.sent.first?["client"]?.string)
        #expect(connection.participant == participantID(of: client))
        #expect(connection.participant != client)
    }

    @Test func `another network has it connect at once, and so has the end of a suspension`() {
        let connection = network.connect()
        network.lose()
        connection.networkChanged()
        network.settle()
        #expect(network.connections.count == 2 && connection.status == .connecting)
        network.welcome()
        connection.suspend()
        network.settle()
        #expect(network.connection.closeCode == 1001)
        guard case .offline(let outage) = connection.status else {
            return #expect(Bool(false), "\(connection.status)")
        }
        #expect(outage.reason == "The app is suspended.")
        #expect(outage.since == network.time && outage.retryAt == network.time)
        connection.resume()
        network.settle()
        #expect(network.connections.count == 3 && connection.status == .connecting)
    }

    @Test func `a newer token is shown on the connection that there is`() {
        let connection = network.connect()
        network.welcome()
        connection.authenticate(token: "t2")
        network.settle()
        #expect(network.connection.sent.map(\.op) == ["hello", "authenticate"])
        #expect(network.connection.sent.last?["token"] == "t2")
    }

    @Test func `what a dispatch belongs to is asked for each, whether its type is known or not`() {
        let numbers = Tally()
        let connection = RemoteConnection(
            "ws://host/",
            traceparent: {
                numbers.increase()
                return numbers.count == 3 ? nil : "parent \(numbers.count)"
            }, transport: network, random: SeededGenerator(seed: 1))
        network.settle()
        network.welcome()
        connection.dispatch(PutBook(title: "Emma"))
        connection.dispatch(type: "PutBook", payload: ["title": "Persuasion"])
        connection.dispatch(type: "Nothing")
        network.settle()
        let sent = network.connection.sent.filter { $0.op == "dispatch" }
        #expect(sent.map { $0["traceparent"] } == ["parent 1", "parent 2", nil])
        let payloads = sent.map { $0["action"]?["payload"] }
        #expect(payloads == [["title": "Emma"], ["title": "Persuasion"], nil])
        connection.close()
        network.settle()
    }

    @Test func `the largest value that is taken is told, and none in parts if it is nothing`() {
        for (largest, takesParts) in [(1, true), (0, false)] {
            let network = ManualNetwork()
            let connection = RemoteConnection(
                "ws://host/", largestValue: largest, transport: network,
                random: SeededGenerator(seed: 1))
            network.settle()
            network.welcome()
            #expect((network.connection.sent.first?["parts"] != nil) == takesParts)
            connection.close()
            network.settle()
        }
    }

    @Test func `a status that stays is told once`() async throws {
        let monitor = ConnectionMonitor(SharedOutbox(client: .ada), nil)
        let changes = Tally()
        let statuses = monitor.follow()
        for status in [.live, .live, .connecting, .closed(nil)] as [RemoteConnection.Status] {
            monitor.set(status)
        }
        withObservationTracking {
            _ = (monitor.status, monitor.identity)
        } onChange: {
            changes.increase()
        }
        monitor.set(.closed(nil))
        monitor.set(identity: nil)
        #expect(changes.count == 0)
        #expect(try await statuses.collected() == [.connecting, .live, .connecting, .closed(nil)])
    }

    @Test func `why the outbox can't be written is observed, and that it can again`() {
        let monitor = ConnectionMonitor(SharedOutbox(client: .ada), Identity("ada"))
        let full = Rejection(.outboxUnwritable, "The disk is full.")
        #expect(monitor.outboxProblem == nil && monitor.identity == Identity("ada"))
        for problem in [full, nil] {
            let changes = Tally()
            withObservationTracking {
                _ = monitor.outboxProblem
            } onChange: {
                changes.increase()
            }
            monitor.set(outboxProblem: problem)
            #expect(monitor.outboxProblem == problem && changes.count == 1)
        }
    }
}

/// How stores and their readers are told what there is.
@MainActor struct DeliveryTests {
    /// A store that notes what it is told.
    private final class Receiver: MirrorReceiver {
        let name: String
        let isOptimistic: Bool
        let note: (String) -> Void

        init(_ name: String, isOptimistic: Bool = false, _ note: @escaping (String) -> Void) {
            (self.name, self.isOptimistic, self.note) = (name, isOptimistic, note)
        }

        func take(_ update: (any Sendable)?, _ pending: PendingActions?) {
            let value = (update as? Int).map { " \($0)" } ?? ""
            note("\(name) takes\(value)\(pending == nil ? "" : " pending")")
        }

        func announce() { note("\(name) announces") }
    }

    @Test func `every store has its state before any tells of it, the oldest first`() {
        var notes: [String] = []
        let receivers = OwnedReceivers(owner: MainActor.shared)
        let stores = ["a", "b", "c"].map { name in
            Receiver(name, isOptimistic: name == "b") { notes.append($0) }
        }
        // In another order than that of their ids.
        for (store, id) in zip(stores, [7, 3, 5] as [UInt64]) { receivers.add(store, id) }
        receivers.take([7: 70, 5: 50], nil)
        #expect(notes == ["c takes 50", "a takes 70", "c announces", "a announces"])
        notes = []
        receivers.take([5: 51], PendingActions())
        #expect(notes == ["b takes pending", "c takes 51 pending", "b announces", "c announces"])
        notes = []
        receivers.take([8: 80], nil)
        #expect(notes == [])
        withExtendedLifetime(stores) {}
    }

    @Test func `a store that is gone isn't told, however many have been`() {
        var notes: [String] = []
        let receivers = OwnedReceivers(owner: MainActor.shared)
        let staying = Receiver("s") { notes.append($0) }
        receivers.add(staying, 1)
        for id in 2...100 as ClosedRange<UInt64> {
            receivers.add(Receiver("\(id)", isOptimistic: true) { notes.append($0) }, id)
        }
        receivers.take([1: 1, 50: 2, 100: 3], PendingActions())
        #expect(notes == ["s takes 1 pending", "s announces"])
        withExtendedLifetime(staying) {}
    }

    @Test func `a slow reader has the newest state alone, and the end with its store`()
        async throws
    {
        var followers: Followers<Int>? = Followers()
        let late = try #require(followers?.follow(from: 1))
        let early = try #require(followers?.follow(from: nil))
        for state in 2...9 { followers?.yield(state) }
        let last = try #require(followers?.follow(from: 9))
        followers = nil
        for stream in [late, early, last] { #expect(try await stream.collected() == [9]) }
    }
}

/// A dispatch queue that a connection's state lives on.
struct SerialQueueTests {
    @Test func `work runs on it, in order, and not before its time`() async throws {
        let queue = SerialQueue(label: "test")
        #expect(queue.isIsolatingCurrentContext() == false)
        let (notes, note) = AsyncStream<String>.makeStream()
        let start = ContinuousClock.now
        queue.execute(after: .milliseconds(20)) {
            note.yield(ContinuousClock.now - start >= .milliseconds(20) ? "last" : "too early")
            note.finish()
        }
        for number in 1...3 {
            queue.execute { note.yield("\(number) \(queue.isIsolatingCurrentContext() == true)") }
        }
        #expect(try await notes.collected() == ["1 true", "2 true", "3 true", "last"])
    }

    @Test func `an address that is none is the end, and why is said`() async throws {
        let transport = URLSessionTransport()
        let (ends, end) = AsyncStream<String>.makeStream()
        let connection = transport.connect(to: "nowhere", subprotocol: "x") { event in
            if case .closed(let code, "", let problem?) = event { end.yield("\(code) \(problem)") }
            end.finish()
        }
        connection.send([])
        connection.close(code: 1000, reason: "")
        #expect(
            try await ends.collected() == ["1008 The address must look like ws://host:port/path."])
    }
}
