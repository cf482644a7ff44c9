import Observation
import StorecastClient
import StorecastServer
import Testing
import TestSupport

/// Dispatches without a connection, and across restarts of the app.
@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct ConnectionOutboxTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private var file: RemoteConnection.Outbox {
        .file(folder.file("outbox"))
    }

    /// Nobody listens there.
    private static let nowhere = "ws://127.0.0.1:9/"

    /// Waits for the end of a connection, and says why it ended.
    private func closed(_ connection: RemoteConnection) async throws -> Rejection? {
        let last = try await connection.statuses.collected().last
        if case .closed(let rejection) = last { return rejection }
        return nil
    }

    @Test func `what is pending can be counted and listed at once`() async throws {
        let connection = RemoteConnection(Self.nowhere)
        #expect(connection.pendingCount == 0)
        let first = connection.dispatch(PutBook(title: "Emma"))
        connection.dispatch(type: "PutBook", payload: ["title": "Persuasion"])
        #expect(connection.pendingCount == 2)
        let pending = connection.pending
        #expect(pending.map(\.id) == [1, 2])
        #expect(pending.map(\.type) == ["PutBook", "PutBook"])
        #expect((pending[0].action as? PutBook)?.title == "Emma")
        #expect(pending[1].action == nil)
        connection.close()
        await #expect(throws: Rejection.self) { try await first.outcome }
        await #expect(throws: Rejection.self) { try await pending[1].dispatch.outcome }
        #expect(connection.pendingCount == 0)
    }

    @Test func `the count of pending dispatches is observed`() async throws {
        let desk = try await Desk()
        let changes = Tally()
        withObservationTracking {
            _ = desk.connection.pendingCount
        } onChange: {
            changes.increase()
        }
        _ = try await desk.connection.dispatch(PutBook(title: "Emma")).outcome
        #expect(changes.count == 1)
        #expect(desk.connection.pendingCount == 0)
        await desk.close()
    }

    @Test func `a full outbox rejects at once, and shows nothing of it`() async throws {
        let connection = RemoteConnection(
            Self.nowhere, outbox: .memory(limits: OutboxLimits(count: 1)))
        connection.dispatch(PutBook(title: "Emma"))
        do throws(Rejection) {
            _ = try await connection.dispatch(PutBook(title: "Persuasion")).outcome
            Issue.record("The outbox has room for one.")
        } catch {
            #expect(error.code == .outboxFull)
        }
        #expect(connection.pendingCount == 1)
        connection.close()
    }

    @Test func `what makes room for others is told so`() async throws {
        let connection = RemoteConnection(
            Self.nowhere, outbox: .memory(limits: OutboxLimits(count: 1, whenFull: .dropOldest)))
        let old = connection.dispatch(PutBook(title: "Emma"))
        connection.dispatch(PutBook(title: "Persuasion"))
        do throws(Rejection) {
            _ = try await old.outcome
            Issue.record("What was dropped was reduced.")
        } catch {
            #expect(error.code == .outboxFull)
        }
        connection.close()
    }

    @Test func `dispatches of a process that ended go on in the next, once`() async throws {
        let first = RemoteConnection(Self.nowhere, outbox: file)
        for title in ["Emma", "Persuasion"] { first.dispatch(PutBook(title: title)) }
        first.close()
        _ = try await closed(first)

        let server = SyncServer(port: 0, room: Shelf.room())
        let url = try await server.start()
        let second = RemoteConnection(url, room: Shelf.room(), outbox: file)
        let books = RemoteStore(Shelf.books, on: second, optimistic: Shelf.put)
        let left = second.pending
        #expect(left.map { ($0.action as? PutBook)?.title } == ["Emma", "Persuasion"])
        var states = books.states.makeAsyncIterator()
        #expect(await states.next() == ["Emma", "Persuasion"])
        for pending in left { _ = try await pending.dispatch.outcome }
        second.dispatch(PutBook(title: "Sanditon"))
        _ = try await second.dispatch(PutBook(title: "Lady Susan")).outcome
        #expect(books.state == ["Emma", "Persuasion", "Sanditon", "Lady Susan"])
        second.close()
        _ = try await closed(second)

        let third = RemoteConnection(url, outbox: file)
        #expect(third.pendingCount == 0)
        third.close()
        await server.stop()
    }

    @Test func `R: a second connection on the same file is closed, and the first goes on`()
        async throws
    {
        let server = SyncServer(port: 0, room: Shelf.room())
        let url = try await server.start()
        let first = RemoteConnection(url, outbox: file)
        let second = RemoteConnection(url, outbox: file)
        let early = second.dispatch(PutBook(title: "Emma"))
        #expect(try await closed(second)?.code == .outboxLocked)
        for dispatch in [early, second.dispatch(PutBook(title: "Emma"))] {
            do throws(Rejection) {
                _ = try await dispatch.outcome
                Issue.record("A closed connection reduced an action.")
            } catch {
                #expect(error.code == .outboxLocked)
            }
        }
        _ = try await first.dispatch(PutBook(title: "Emma")).outcome
        first.close()
        await server.stop()
    }

    @Test func `a connection that is suspended leaves its file to others, and goes on`()
        async throws
    {
        let server = SyncServer(port: 0, room: Shelf.room())
        let url = try await server.start()
        let app = RemoteConnection(url, outbox: file)
        _ = try await app.dispatch(PutBook(title: "Emma")).outcome
        app.suspend()
        guard case .offline = await app.settledStatus else {
            return #expect(Bool(false), "\(app.status)")
        }
        let waiting = app.dispatch(PutBook(title: "Persuasion"))
        app.resume()
        #expect(try await waiting.outcome.version == 2)
        app.suspend()
        _ = await app.settledStatus

        let other = RemoteConnection(url, outbox: file)
        _ = try await other.dispatch(PutBook(title: "Sanditon")).outcome
        other.close()
        _ = try await closed(other)
        app.resume()
        #expect(try await closed(app)?.code == .outboxLocked)
        await server.stop()
    }

    @Test func `a file of another room is refused`() async throws {
        let first = RemoteConnection("ws://127.0.0.1:9/one?token=x", outbox: file)
        first.close()
        _ = try await closed(first)
        let same = RemoteConnection("ws://127.0.0.1:10/one", outbox: file)
        same.close()
        #expect(try await closed(same) == nil)
        let other = RemoteConnection("ws://127.0.0.1:9/two", outbox: file)
        #expect(try await closed(other)?.code == .outboxUnreadable)
    }

    @Test func `a file is of its room, however the path is written`() async throws {
        for (path, isSame) in [
            ("/b/%C3%A9", true), ("/b/%c3%a9", true), ("//b/./%C3%A9?token=x", true),
            ("/b/e%CC%81", false), ("/b/%FF", false), ("/b/%zz", false),
        ] {
            let connection = RemoteConnection("ws://127.0.0.1:9" + path, outbox: file)
            connection.close()
            #expect((try await closed(connection) == nil) == isSame, "\(path)")
        }
    }

    @Test func `a full disk is said, and what waits goes on when there is room`() async throws {
        let disk = Disk()
        let server = SyncServer(port: 0, room: Shelf.room())
        let connection = RemoteConnection(
            try await server.start(),
            outbox: .stored { () throws(Rejection) in FailingStorage(on: disk) })
        _ = try await connection.dispatch(PutBook(title: "Emma")).outcome
        disk.isFull = true
        let waiting = connection.dispatch(PutBook(title: "Persuasion"))
        while connection.outboxProblem == nil { await Task.yield() }
        #expect(connection.outboxProblem == FailingStorage.full)
        await #expect(throws: FailingStorage.full) {
            try await connection.dispatch(PutBook(title: "Sanditon")).outcome
        }
        #expect(connection.pendingCount == 1)
        disk.isFull = false
        #expect(try await waiting.outcome.version == 2)
        #expect(connection.outboxProblem == nil)
        connection.close()
        await server.stop()
    }

    @Test func `what is too large for the server ends alone, and what follows goes on`()
        async throws
    {
        var limits = SyncLimits()
        limits.messageBytes = 2000
        let server = SyncServer(port: 0, limits: limits) { _ in Shelf.room() }
        let connection = RemoteConnection(try await server.start())
        // Dispatched before the server has said what it takes.
        let titles = ["Emma", String(repeating: "x", count: 3000), "Persuasion"]
        let dispatches = titles.map { connection.dispatch(PutBook(title: $0)) }
        _ = try await dispatches[0].outcome
        do throws(Rejection) {
            _ = try await dispatches[1].outcome
            Issue.record("The server took more than it takes.")
        } catch {
            #expect(error.code == .invalid)
        }
        #expect(try await dispatches[2].outcome.version == 2)
        connection.close()
        await server.stop()
    }
}
