import Observation
import StorecastClient
import StorecastServer
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct MirroringTests {
    @Test func `a store has no state until the first has come, then all that follow`() async throws
    {
        let desk = try await Desk()
        let store = RemoteStore(Shelf.books, on: desk.connection)
        #expect(store.state == nil)
        #expect(store.position == nil)
        var states = store.states.makeAsyncIterator()
        #expect(await states.next() == [])
        try await desk.put("Emma")
        #expect(await states.next() == ["Emma"])
        #expect(store.state == ["Emma"])
        #expect(store.position?.version == 1)
        await desk.close()
    }

    @Test func `subscribers get what they select, as from a local store`() async throws {
        let desk = try await Desk()
        let store = RemoteStore(Shelf.books, on: desk.connection)
        let (counts, all, even) = (Listener<Int>(), Listener<[String]>(), Listener<Int>())
        store.subscribe(all)
        store.subscribe(counts) { $0.select { $0.count }.skipRepeats() }
        store.subscribe(even) { $0.select { $0.count / 2 } }
        #expect(all.heard.isEmpty)
        for title in ["Emma", "Persuasion"] {
            _ = try await store.dispatch(PutBook(title: title)).outcome
        }
        store.unsubscribe(counts)
        _ = try await store.dispatch(PutBook(title: "Sanditon")).outcome
        #expect(counts.heard.last == 2)
        #expect(all.heard.last == ["Emma", "Persuasion", "Sanditon"])
        #expect(even.heard.last == 1)
        let late = Listener<[String]>()
        store.subscribe(late)
        #expect(late.heard == [["Emma", "Persuasion", "Sanditon"]])
        await desk.close()
    }

    @Test func `mirrors of one connection move together`() async throws {
        let desk = try await Desk()
        let books = RemoteStore(Shelf.books, on: desk.connection)
        let titles = RemoteStore(Shelf.titles, on: desk.connection)
        let listeners = [Listener<[String]>(), Listener<[String]>()]
        _ = try await desk.connection.dispatch(PutBook(title: "first")).outcome
        var apart: [[String]?] = []
        for listener in listeners {
            listener.onState = { _ in
                if books.state != titles.state { apart += [books.state, titles.state] }
            }
        }
        books.subscribe(listeners[0])
        titles.subscribe(listeners[1])
        for number in 0..<50 { desk.connection.dispatch(PutBook(title: "\(number)")) }
        _ = try await desk.connection.dispatch(PutBook(title: "last")).outcome
        #expect(books.state?.count == 52)
        #expect(listeners.map(\.heard.last) == [titles.state, books.state])
        #expect(apart == [])
        await desk.close()
    }

    @Test func `an outcome comes when the store shows the action`() async throws {
        let desk = try await Desk()
        let store = RemoteStore(Shelf.books, on: desk.connection)
        for number in 0..<20 {
            _ = try await store.dispatch(PutBook(title: "\(number)")).outcome
            #expect(store.state?.count == number + 1)
        }
        await desk.close()
    }

    @Test func `stores of equal selections share one subscription, others don't`() async throws {
        let desk = try await Desk()
        let stores = (0..<5).map { _ in RemoteStore(Shelf.books, on: desk.connection) }
        let first = RemoteStore(Shelf.book, 0, on: desk.connection)
        let second = RemoteStore(Shelf.book, 1, on: desk.connection)
        _ = try await desk.connection.dispatch(PutBook(title: "Emma")).outcome
        #expect(stores.allSatisfy { $0.state == ["Emma"] })
        #expect(first.state == "Emma")
        #expect(second.state == "")
        // Once when the group was made, unless it was made after the action, and once for it.
        #expect(desk.evaluations.count <= 2)
        let late = RemoteStore(Shelf.books, on: desk.connection)
        var states = late.states.makeAsyncIterator()
        #expect(await states.next() == ["Emma"])
        await desk.close()
    }

    @Test func `the end of the last store ends the subscription`() async throws {
        let desk = try await Desk()
        var stores = (0..<2).map { _ in RemoteStore(Shelf.books, on: desk.connection) }
        var states = stores[0].states.makeAsyncIterator()
        _ = await states.next()
        stores.removeLast()
        _ = try await desk.connection.dispatch(PutBook(title: "1")).outcome
        #expect(stores[0].state == ["1"])
        stores = []
        #expect(await states.next() == ["1"])
        #expect(await states.next() == nil)
        // What is asked for on a connection happens in order, so it is over when this is.
        _ = try await desk.connection.dispatch(PutBook(title: "2")).outcome
        let before = desk.evaluations.count
        _ = try await desk.connection.dispatch(PutBook(title: "3")).outcome
        #expect(desk.evaluations.count == before)
        await desk.close()
    }

    @Test func `observation sees changes of the state`() async throws {
        let desk = try await Desk()
        let store = RemoteStore(Shelf.books, on: desk.connection)
        let changes = Tally()
        withObservationTracking {
            _ = store.state
        } onChange: {
            changes.increase()
        }
        _ = try await store.dispatch(PutBook(title: "Emma")).outcome
        #expect(changes.count == 1)
        await desk.close()
    }

    @Test func `a selection that the room doesn't have is the store's problem alone`() async throws
    {
        let desk = try await Desk()
        let nothing = Selection("nothing") { (shelf: Shelf) in shelf.books }
        let bad = RemoteStore(nothing, on: desk.connection)
        let good = RemoteStore(Shelf.books, on: desk.connection)
        _ = try await good.dispatch(PutBook(title: "Emma")).outcome
        #expect(bad.problem?.code == .unknownSelection)
        #expect(bad.state == nil)
        #expect(good.problem == nil)
        await desk.close()
    }

    @Test func `a value of another type than expected is the store's problem`() async throws {
        let desk = try await Desk()
        let wrong = Selection("books") { (_: Shelf) in 7 }
        let store = RemoteStore(wrong, on: desk.connection)
        _ = try await store.dispatch(PutBook(title: "Emma")).outcome
        #expect(store.problem?.code == .invalid)
        #expect(store.state == nil)
        await desk.close()
    }

    @Test func `a store can do without declarations`() async throws {
        let desk = try await Desk()
        let store = RemoteStore<JSON>(
            selection: "book", parameters: 0, on: desk.connection)
        let dispatch = desk.connection.dispatch(type: "PutBook", payload: ["title": "Emma"])
        #expect(try await dispatch.outcome.version == 1)
        #expect(store.state == "Emma")
        await #expect(throws: Rejection.self) {
            _ = try await desk.connection.dispatch(type: "PutBook").outcome
        }
        await desk.close()
    }

    @Test func `a custom actor owns its stores`() async throws {
        let desk = try await Desk()
        let librarian = Librarian(desk.connection)
        #expect(await librarian.put(["Emma", "Persuasion"]) == ["Emma", "Persuasion"])
        await desk.close()
    }

    @Test func `middleware may stop, change and add actions`() async throws {
        let desk = try await Desk()
        let store = RemoteStore(Shelf.books, on: desk.connection)
        store.middleware = [
            { dispatch, _ in
                { next in
                    { action in
                        guard let put = action as? PutBook else { return next(action) }
                        if put.title == "banned" { return }
                        if put.title.hasPrefix("copy") { return next(put) }
                        next(PutBook(title: put.title.uppercased()))
                        dispatch(PutBook(title: "copy of " + put.title))
                    }
                }
            }
        ]
        let dispatch = store.dispatch(PutBook(title: "Emma"))
        #expect(try await dispatch.outcome.version >= 1)
        await #expect(throws: Rejection.self) {
            _ = try await store.dispatch(PutBook(title: "banned")).outcome
        }
        // The outcome is that of the action itself, not of the copy.
        do {
            _ = try await store.dispatch(PutBook(title: "Emma")).outcome
            Issue.record("The same book twice.")
        } catch {
            #expect(error.detail == "EMMA")
        }
        #expect(store.state == ["EMMA", "copy of Emma"])
        await desk.close()
    }
}

private actor Librarian {
    private let connection: RemoteConnection

    init(_ connection: RemoteConnection) {
        self.connection = connection
    }

    func put(_ titles: [String]) async -> [String]? {
        let books = RemoteStore(Shelf.books, on: connection)
        for title in titles { _ = try? await books.dispatch(PutBook(title: title)).outcome }
        return books.state
    }
}
