import StorecastClient
import TestSupport
import Testing

/// A connection over a whole life, on a network that does what the test says.
@MainActor @Suite(.fewAtATime) struct ConnectionLifeTests {
    private let network = ManualNetwork()

    /// Waits until a connection makes its next attempt.
    private func waitForRetry(of connection: RemoteConnection) throws {
        let outage = try #require(connection.outage)
        let seconds = outage.retryAt.secondsSince1970 - network.time.secondsSince1970
        network.advance(by: .seconds(seconds) + .milliseconds(1))
        #expect(connection.status == .connecting)
    }

    // MARK: Outages

    @Test func `an outage begins with the loss of its own connection, through all its tries`()
        throws
    {
        let connection = network.connect()
        for _ in 1...3 {
            let start = network.time
            for _ in 1...3 {
                network.lose()
                let outage = try #require(connection.outage)
                #expect(outage.since == start)
                #expect(outage.retryAt > network.time)
                #expect(outage.reason == "The cable is cut.")
                try waitForRetry(of: connection)
                network.advance(by: .seconds(1))
            }
            network.welcome()
            #expect(connection.status == .live)
            network.advance(by: .seconds(600))
            #expect(connection.status == .live)
        }
    }

    @Test func `a server that takes a connection and doesn't welcome it ends no outage`() throws {
        let connection = network.connect()
        network.welcome()
        network.advance(by: .seconds(60))
        let start = network.time
        network.lose()
        try waitForRetry(of: connection)
        network.tell(.opened)
        network.lose()
        #expect(connection.outage?.since == start)
        connection.reconnect()
        network.settle()
        #expect(connection.status == .connecting)
        network.lose()
        #expect(connection.outage?.since == start)
    }

    // MARK: Statuses

    @Test func `whoever comes at any time hears what is, what follows, and the end`() async throws {
        let connection = network.connect()
        var (seen, readers) = ([connection.status], [connection.statuses])
        func note() {
            seen.append(connection.status)
            readers.append(connection.statuses)
        }
        for _ in 1...2 {
            network.welcome()
            note()
            network.lose()
            note()
            try waitForRetry(of: connection)
            note()
        }
        connection.close()
        network.settle()
        note()
        let words = "connecting live offline connecting live offline connecting closed"
        #expect(seen.map(\.word).joined(separator: " ") == words)
        for (place, reader) in readers.enumerated() {
            #expect(try await reader.collected() == Array(seen[place...]))
        }
    }

    /// How a connection can end for good.
    enum End: CaseIterable { case closed, refused, bye, badAddress }

    private func make(_ end: End, of connection: RemoteConnection) {
        switch end {
        case .closed: connection.close()
        case .refused: network.lose(4101, "Who are you?")
        case .bye:
            if connection.status != .live { network.welcome() }
            network.say(
                #"{"op":"bye","code":"no-room","title":"Gone.","reconnect":false,"after":0,"jitter":0}"#
            )
            network.lose()
        case .badAddress: network.lose(1008, "What is that?")
        }
        network.settle()
    }

    @Test(arguments: End.allCases)
    func `every end ends the statuses of those who came before it and after it`(_ end: End)
        async throws
    {
        let connection = network.connect(to: end == .badAddress ? "nowhere" : "ws://host/")
        let early = connection.statuses
        make(end, of: connection)
        let code: String? =
            switch end {
            case .closed: nil
            case .refused: "unauthenticated"
            case .bye: "no-room"
            case .badAddress: "close-1008"
            }
        guard case .closed(let rejection) = connection.status else {
            return #expect(Bool(false), "\(connection.status)")
        }
        #expect(rejection?.code.description == code)
        #expect(try await early.collected().last == .closed(rejection))
        #expect(try await connection.statuses.collected() == [.closed(rejection)])
        // Nothing wakes it.
        let count = network.connections.count
        connection.reconnect()
        connection.authenticate(token: "t")
        network.advance(by: .seconds(7200))
        #expect(network.connections.count == count)
        #expect(connection.status == .closed(rejection))
    }

    // MARK: Release

    /// How far a connection has come when the app lets go of it.
    enum Phase: CaseIterable { case fetchingToken, connecting, greeting, live, offline, again }

    private func bring(_ connection: RemoteConnection, to phase: Phase) throws {
        switch phase {
        case .fetchingToken, .connecting: break
        case .greeting: network.tell(.opened)
        case .live: network.welcome()
        case .offline: network.lose()
        case .again:
            network.welcome()
            network.lose()
            try waitForRetry(of: connection)
            network.welcome()
        }
    }

    @Test(arguments: Phase.allCases, [false, true])
    func `a connection that nobody holds is closed and gone, with everything that it had`(
        _ phase: Phase, _ hasStore: Bool
    ) async throws {
        let never = AsyncStream<Never>.makeStream()
        weak var probe: Tally?
        let statuses: AsyncStream<RemoteConnection.Status>
        do {
            let held = Tally()
            probe = held
            let connection = network.connect(
                token: phase == .fetchingToken
                    ? { @Sendable in
                        for await _ in never.stream {}
                        return "late"
                    } : nil,
                holding: held)
            statuses = connection.statuses
            try bring(connection, to: phase)
            if hasStore {
                let store = RemoteStore(Shelf.books, on: connection)
                store.dispatch(PutBook(title: "Emma"))
                network.settle()
            }
            #expect(network.connections.count { $0.isThere } == (phase.hasConnection ? 1 : 0))
        }
        network.settle()
        #expect(network.connections.allSatisfy { !$0.isThere })
        if phase.hasConnection { #expect(network.connection.closeCode == 1000) }
        #expect(try await statuses.collected().last == .closed(nil))
        #expect(probe == nil)
        let count = network.connections.count
        network.advance(by: .seconds(7200))
        #expect(network.connections.count == count)
        never.continuation.finish()
    }

    // MARK: Stores

    private func makeStore(on connection: RemoteConnection) async -> RemoteStore<[String]> {
        let store = RemoteStore(Shelf.books, on: connection)
        network.settle()
        await connection.settleStores()
        return store
    }

    /// The server answers the newest subscription.
    private func show(_ titles: String, on connection: RemoteConnection) async throws {
        let ref = try #require(network.connection.refs.last)
        network.say(#"{"op":"subscribed","ref":\#(ref),"sub":1,"tag":"t","bytes":9}"#)
        network.say(#"{"op":"snapshot","sub":1,"v":1,"value":\#(titles)}"#)
        await connection.settleStores()
    }

    @Test(arguments: Phase.allCases)
    func `a store made while the connection isn't over has no problem, and gets its state`(
        _ phase: Phase
    ) async throws {
        let tokens = AsyncStream<Never>.makeStream()
        let connection = network.connect(
            token: phase == .fetchingToken
                ? { @Sendable in
                    for await _ in tokens.stream {}
                    return "late"
                } : nil)
        try bring(connection, to: phase)
        let store = await makeStore(on: connection)
        #expect(store.state == nil)
        #expect(store.problem == nil)
        switch phase {
        case .fetchingToken:
            tokens.continuation.finish()
            let isThere = await eventually {
                network.settle()
                return !network.connections.isEmpty
            }
            try #require(isThere, "It doesn't connect with its token.")
            network.welcome()
        case .connecting: network.welcome()
        case .greeting: network.say(welcome(heartbeat: 3600))
        case .offline:
            try waitForRetry(of: connection)
            network.welcome()
        case .live, .again: break
        }
        try await show(#"["Emma"]"#, on: connection)
        #expect(store.state == ["Emma"])
        #expect(store.problem == nil)
    }

    @Test(arguments: End.allCases)
    func `a store made when the connection is over says that it is closed`(_ end: End) async throws
    {
        let connection = network.connect()
        make(end, of: connection)
        for _ in 1...2 {
            let store = await makeStore(on: connection)
            #expect(store.state == nil)
            #expect(store.problem?.code == .closed)
            let dispatch = store.dispatch(PutBook(title: "Emma"))
            #expect(throws: Rejection.self) { try dispatch.result.settled?.get() }
        }
    }

    @Test(arguments: [End.closed, .refused, .bye])
    func `a store made when the connection is over has the state that another one kept`(
        _ end: End
    ) async throws {
        let connection = network.connect()
        network.welcome()
        let early = await makeStore(on: connection)
        try await show(#"["Emma"]"#, on: connection)
        make(end, of: connection)
        let late = await makeStore(on: connection)
        #expect(early.state == ["Emma"])
        #expect(late.state == ["Emma"])
        #expect(late.problem != nil)
    }

    @Test func `a store holds its connection, and the last one lets it go`() async throws {
        var stores: [RemoteStore<[String]>] = []
        do {
            let connection = network.connect()
            stores = [
                RemoteStore(Shelf.books, on: connection), RemoteStore(Shelf.titles, on: connection),
            ]
        }
        network.welcome()
        #expect(stores[0].connection.status == .live)
        stores.removeLast()
        network.settle()
        #expect(network.connection.isThere)
        stores = []
        network.settle()
        #expect(network.connection.closeCode == 1000)
    }
}

extension ConnectionLifeTests.Phase {
    var hasConnection: Bool { self != .fetchingToken && self != .offline }
}

extension RemoteConnection {
    /// Since when it is away, and until when.
    fileprivate var outage: Outage? {
        if case .offline(let outage) = status { outage } else { nil }
    }
}

extension RemoteConnection.Status {
    fileprivate var word: String { String(description.prefix { $0 != ":" }) }
}
