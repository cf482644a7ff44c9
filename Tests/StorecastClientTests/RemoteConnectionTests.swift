import Dispatch
import Observation
import StorecastServer
import Synchronization
import TestSupport
import Testing

@testable import StorecastClient

@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct RemoteConnectionTests {
    @Test func `the status goes from connecting to live, and closes`() async throws {
        let desk = try await Desk()
        var seen: [RemoteConnection.Status] = []
        for await status in desk.connection.statuses {
            seen.append(status)
            if status == .live { desk.connection.close() }
        }
        #expect(seen.suffix(2) == [.live, .closed(nil)])
        #expect(desk.connection.status == .closed(nil))
        // Whoever comes later hears the end at once.
        #expect(try await desk.connection.statuses.collected() == [.closed(nil)])
        await desk.server.stop()
    }

    /// Who cancels a task that follows a connection holds the task's lock while it asks for the
    /// connection's: waking a follower must not need the two the other way round.
    @Test func `a follower is woken when nobody holds the status`() async throws {
        let network = ManualNetwork()
        let connection = network.connect()
        let executor = ReadingExecutor(connection)
        let follower = Task(executorPreference: executor) {
            for await status in connection.statuses where status == .live { return }
        }
        while !executor.hasRun { await Task.yield() }
        network.welcome()
        await follower.value
        #expect(executor.waits > 1)
        #expect(executor.failures == 0)
        connection.close()
        network.settle()
    }

    @Test func `a status is a word and the reason`() {
        let outage = Outage(
            since: Timestamp(secondsSince1970: 0), retryAt: Timestamp(secondsSince1970: 1),
            reason: "Connection refused.")
        let none = Rejection(Rejection.Code("no-room"), "There is no such room.")
        let statuses: [RemoteConnection.Status] = [
            .connecting, .live, .offline(outage), .closed(none), .closed(nil),
        ]
        #expect(
            statuses.map(\.description) == [
                "connecting", "live", "offline: Connection refused.",
                "closed: There is no such room.", "closed",
            ])
    }

    @Test func `an outage is a sentence on why, since when and until when`() {
        let outage = Outage(
            since: Timestamp(secondsSince1970: 1_795_704_790.25),
            retryAt: Timestamp(secondsSince1970: 1_795_704_792), reason: "Connection refused.")
        #expect(
            "\(outage)" == "Connection refused. There is no connection since "
                + "2026-11-26T14:53:10.250Z; the next try is at 2026-11-26T14:53:12.000Z.")
    }

    @Test func `what is optional or in a list reads the same`() {
        let none = Rejection(
            Rejection.Code("unauthenticated"), "The server doesn't know you.",
            detail: "Who are you?")
        #expect("\(none)" == "The server doesn't know you. Who are you?")
        #expect(
            "\([RemoteConnection.Status.closed(none)])"
                == "[closed: The server doesn't know you. Who are you?]")
    }

    @Test func `closing ends every wait`() async throws {
        let connection = RemoteConnection("ws://127.0.0.1:9/")
        let store = RemoteStore(Shelf.books, on: connection)
        let early = connection.dispatch(PutBook(title: "Emma"))
        connection.close()
        let late = connection.dispatch(PutBook(title: "Emma"))
        for dispatch in [early, late] {
            do {
                _ = try await dispatch.outcome
                Issue.record("A closed connection reduced an action.")
            } catch {
                #expect(error.code == .closed)
            }
        }
        #expect(store.problem?.code == .closed)
        let after = RemoteStore(Shelf.books, on: connection)
        while after.problem == nil { await Task.yield() }
        #expect(after.problem?.code == .closed)
    }

    @Test(arguments: [
        "http://localhost/", "ws://", "ws:///room", "localhost:9090", "ws://a:0/", "ws://a:99999/",
        "ws://user@host/", "ws://host/#part", "ws://[::1/", "ws://ho st/", "",
    ])
    func `an address that isn't one is said at once`(_ url: String) async throws {
        let connection = RemoteConnection(url)
        let last = try await connection.statuses.collected().last
        guard case .closed(let rejection?) = last else {
            return #expect(Bool(false), "\(url) is \(String(describing: last))")
        }
        #expect(rejection.title.contains("ws://host:port/path"))
    }

    @Test func `a server that isn't there is tried again later`() async throws {
        // A port that was free a moment ago.
        let server = SyncServer(port: 0, room: Shelf.room())
        let url = try await server.start()
        await server.stop()
        let connection = RemoteConnection(url)
        for await status in connection.statuses {
            guard case .offline(let outage) = status else { continue }
            #expect(outage.since < outage.retryAt)
            #expect(outage.reason.isEmpty == false)
            break
        }
        connection.close()
    }

    @Test func `an outage says since when, through all its tries`() async throws {
        let connection = RemoteConnection("ws://127.0.0.1:9/")
        var outages: [Outage] = []
        for await status in connection.statuses {
            if case .offline(let outage) = status {
                outages.append(outage)
                connection.reconnect()
            }
            if outages.count == 3 { break }
        }
        connection.close()
        #expect(Set(outages.map(\.since)).count == 1)
        #expect(outages.allSatisfy { $0.since < $0.retryAt })
    }

    @Test func `what the server refuses is closed with its code`() async throws {
        let server = SyncServer(port: 0) { _ in
            Shelf.room()
        } authenticate: { credentials in
            guard credentials.token == "good" else { throw Rejection(.unauthenticated, "Who?") }
            return Identity("ada")
        }
        let url = try await server.start()
        let connection = RemoteConnection(url, token: { "bad" })
        let dispatch = connection.dispatch(PutBook(title: "Emma"))
        let last = try await connection.statuses.collected().last
        guard case .closed(let rejection?) = last else {
            return #expect(Bool(false), "It is \(String(describing: last)).")
        }
        #expect(rejection.code == .unauthenticated)
        await #expect(throws: rejection) { try await dispatch.outcome }
        await server.stop()
    }

    @Test func `a newer token counts on the connection that is there`() async throws {
        let room = Shelf.room().authorize(PutBook.self) { _, sender in
            guard sender.roles.contains("writer") else { throw Rejection(.forbidden, "Read only.") }
        }
        let server = SyncServer(port: 0) { _ in
            room
        } authenticate: { credentials in
            Identity("ada", roles: credentials.token == "new" ? ["writer"] : [])
        }
        let url = try await server.start()
        let connection = RemoteConnection(url, token: { "old" })
        await #expect(throws: Rejection(.forbidden, "Read only.")) {
            try await connection.dispatch(PutBook(title: "Emma")).outcome
        }
        connection.authenticate(token: "new")
        // The server checks it beside what comes behind it.
        var position: Position?
        while position == nil {
            position = try? await connection.dispatch(PutBook(title: "Emma")).outcome
        }
        connection.close()
        await server.stop()
    }

    @Test func `the status is observed`() async throws {
        let desk = try await Desk()
        for await status in desk.connection.statuses where status == .live { break }
        let changes = Tally()
        withObservationTracking {
            _ = desk.connection.status
        } onChange: {
            changes.increase()
        }
        await desk.server.stop()
        for await status in desk.connection.statuses where status != .live { break }
        #expect(changes.count == 1)
        desk.connection.close()
    }

    @Test func `dispatches are reduced in the order of their calls`() async throws {
        let desk = try await Desk()
        let store = RemoteStore(Shelf.books, on: desk.connection)
        let titles = (0..<2000).map { "\($0)" }
        let dispatches = titles.map { desk.connection.dispatch(PutBook(title: $0)) }
        for dispatch in dispatches { _ = try await dispatch.outcome }
        #expect(store.state == titles)
        await desk.close()
    }

    @Test func `who asks late for an outcome finds the store showing it all the same`()
        async throws
    {
        let desk = try await Desk()
        let store = RemoteStore(Shelf.books, on: desk.connection)
        let dispatch = desk.connection.dispatch(PutBook(title: "Emma"))
        // The store's owner is busy for as long as everybody else needs.
        while dispatch.result.settled == nil {}
        _ = try await dispatch.outcome
        #expect(store.state == ["Emma"])
        await desk.close()
    }

    @Test func `a rejection says what the server said`() async throws {
        let desk = try await Desk()
        try await desk.put("Emma")
        do {
            _ = try await desk.connection.dispatch(PutBook(title: "Emma")).outcome
            Issue.record("The same book twice.")
        } catch {
            #expect(error == Rejection(.conflict, "It is there already.", detail: "Emma"))
        }
        do {
            _ = try await desk.connection.dispatch(Unknown()).outcome
            Issue.record("An unknown action was reduced.")
        } catch {
            #expect(error.code == .unknownAction)
        }
        await desk.close()
    }

    @Test func `mirrors go on where they were when the server comes back`() async throws {
        let first = SyncServer(port: 0, room: Shelf.room())
        let url = try await first.start()
        let port = try #require(Int(url.dropLast().split(separator: ":")[2]))
        let connection = RemoteConnection(url)
        let store = RemoteStore(Shelf.books, on: connection)
        _ = try await store.dispatch(PutBook(title: "Emma")).outcome
        let epoch = store.position?.epoch
        await first.stop()
        #expect(store.state == ["Emma"])
        let second = SyncServer(port: port, room: Shelf.room())
        _ = try await second.start()
        for await status in connection.statuses {
            if case .offline = status { connection.reconnect() }
            if status == .live { break }
        }
        _ = try await store.dispatch(PutBook(title: "Persuasion")).outcome
        // Another server in memory is another history.
        #expect(store.state == ["Persuasion"])
        #expect(store.position?.epoch != epoch)
        connection.close()
        await second.stop()
    }
}

/// Runs its tasks elsewhere, and first has another thread read the connection's status.
private final class ReadingExecutor: TaskExecutor {
    private struct Counts {
        var waits = 0
        var failures = 0
        var hasRun = false
    }

    private let connection: RemoteConnection
    private let counts = Mutex(Counts())

    init(_ connection: RemoteConnection) {
        self.connection = connection
    }

    var waits: Int { counts.withLock(\.waits) }
    var failures: Int { counts.withLock(\.failures) }
    var hasRun: Bool { counts.withLock(\.hasRun) }

    func enqueue(_ job: consuming ExecutorJob) {
        let isRead = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [connection] in
            _ = connection.status
            isRead.signal()
        }
        let result = isRead.wait(timeout: .now() + 5)
        counts.withLock { counts in
            counts.waits += 1
            if result == .timedOut { counts.failures += 1 }
        }
        let job = UnownedJob(job)
        DispatchQueue.global().async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            counts.withLock { $0.hasRun = true }
        }
    }
}
