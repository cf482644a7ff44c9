import Observation
import StorecastClient
import StorecastServer
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct OptimisticStoreTests {
    private let desk: Desk
    private let books: RemoteStore<[String]>

    init() async throws {
        desk = try await Desk()
        books = RemoteStore(Shelf.books, on: desk.connection, optimistic: Shelf.put)
        // The first state.
        for await _ in books.states { break }
    }

    @Test func `a dispatch shows before it returns, to everyone who follows`() async throws {
        let (all, changes) = (Listener<[String]>(), Tally())
        books.subscribe(all)
        withObservationTracking {
            _ = books.state
        } onChange: {
            changes.increase()
        }
        let dispatch = books.dispatch(PutBook(title: "Emma"))
        #expect(books.state == ["Emma"])
        #expect(all.heard == [[], ["Emma"]])
        #expect(changes.count == 1)
        let plain: any Action = PutBook(title: "Persuasion")
        books.dispatch(plain)
        #expect(books.state == ["Emma", "Persuasion"])
        _ = try await dispatch.outcome
        _ = try await books.dispatch(PutBook(title: "Sanditon")).outcome
        #expect(all.heard.count == 4)
        #expect(all.heard.last == ["Emma", "Persuasion", "Sanditon"])
        await desk.close()
    }

    @Test func `a rejected dispatch is gone when its outcome is told, and only that one`()
        async throws
    {
        try await desk.put("Emma")
        let listener = Listener<[String]>()
        books.subscribe(listener)
        let bad = books.dispatch(PutBook(title: "Emma"))
        let good = books.dispatch(PutBook(title: "Persuasion"))
        #expect(books.state?.suffix(2) == ["Emma", "Persuasion"])
        do throws(Rejection) {
            _ = try await bad.outcome
            Issue.record("The same book twice.")
        } catch {
            #expect(error == Rejection(.conflict, "It is there already.", detail: "Emma"))
        }
        #expect(books.state == ["Emma", "Persuasion"])
        _ = try await good.outcome
        #expect(books.state == ["Emma", "Persuasion"])
        await desk.close()
    }

    @Test func `it shows soon in the other stores, on other actors too`() async throws {
        let other = RemoteStore(Shelf.books, on: desk.connection, optimistic: Shelf.put)
        let reader = Reader(desk.connection)
        for await _ in other.states { break }
        await reader.wait(for: [])
        // Without an answer, so that it can't be the server's.
        await desk.server.stop()
        books.dispatch(PutBook(title: "Emma"))
        desk.connection.dispatch(PutBook(title: "Persuasion"))
        for await state in other.states where state == ["Emma", "Persuasion"] { break }
        await reader.wait(for: ["Emma", "Persuasion"])
        for await state in books.states where state == ["Emma", "Persuasion"] { break }
        let late = RemoteStore(Shelf.books, on: desk.connection, optimistic: Shelf.put)
        for await state in late.states {
            #expect(state == ["Emma", "Persuasion"])
            break
        }
        desk.connection.close()
    }

    @Test func `a store without a reducer waits for the server`() async throws {
        let plain = RemoteStore(Shelf.books, on: desk.connection)
        for await _ in plain.states { break }
        let dispatch = plain.dispatch(PutBook(title: "Emma"))
        #expect(plain.state == [])
        _ = try await dispatch.outcome
        #expect(plain.state == ["Emma"])
        await desk.close()
    }

    @Test func `middleware runs before anything is shown`() async throws {
        var states: [[String]?] = []
        books.middleware = [
            { _, state in
                { next in
                    { action in
                        guard let put = action as? PutBook, put.title != "banned" else { return }
                        states.append(state())
                        next(PutBook(title: put.title.uppercased()))
                        states.append(state())
                    }
                }
            }
        ]
        books.dispatch(PutBook(title: "banned"))
        #expect(books.state == [])
        let dispatch = books.dispatch(PutBook(title: "Emma"))
        #expect(states == [[], ["EMMA"]])
        #expect(books.state == ["EMMA"])
        _ = try await dispatch.outcome
        #expect(books.state == ["EMMA"])
        await desk.close()
    }

    @Test func `a subscriber that dispatches is shown every state once, in order`() async throws {
        let (first, second) = (Listener<[String]>(), Listener<[String]>())
        first.onState = { [books] state in
            if state.last == "Emma" { books.dispatch(PutBook(title: "Persuasion")) }
        }
        books.subscribe(first)
        books.subscribe(second)
        books.dispatch(PutBook(title: "Emma"))
        #expect(first.heard == [[], ["Emma"], ["Emma", "Persuasion"]])
        #expect(second.heard == [[], ["Emma", "Persuasion"]])
        desk.connection.close()
        await desk.server.stop()
    }

    @Test func `thousands of dispatches show at once, and never twice`() async throws {
        let titles = (0..<2000).map { "\($0)" }
        let listener = Listener<[String]>()
        books.subscribe(listener)
        let dispatches = titles.map { books.dispatch(PutBook(title: $0)) }
        #expect(books.state == titles)
        for dispatch in dispatches {
            _ = try await dispatch.outcome
            #expect(books.state == titles)
        }
        #expect(listener.heard.count >= titles.count)
        #expect(listener.heard.allSatisfy { Set($0).count == $0.count })
        await desk.close()
    }

    @Test func `closing takes back what has no outcome`() async throws {
        await desk.server.stop()
        let dispatch = books.dispatch(PutBook(title: "Emma"))
        #expect(books.state == ["Emma"])
        desk.connection.close()
        await #expect(throws: Rejection.self) { try await dispatch.outcome }
        #expect(books.state == [])
        #expect(books.problem?.code == .closed)
    }
}

/// Has an optimistic store of its own.
private actor Reader {
    private let connection: RemoteConnection
    private var books: RemoteStore<[String]>?

    init(_ connection: RemoteConnection) {
        self.connection = connection
    }

    func wait(for titles: [String]) async {
        if books == nil { open() }
        guard let states = books?.states else { return }
        for await state in states where state == titles { return }
    }

    private func open() {
        books = RemoteStore(Shelf.books, on: connection, optimistic: Shelf.put)
    }
}
