import StorecastClient
import StorecastServer
import TestSupport
import Testing

struct Increase: SyncAction {
    var by = 1
}

let count = Selection("count") { (count: Int) in count }
let counter = RoomDefinition(state: 0, actions: [Increase.self], selections: [count]) {
    count, action in
    if let increase = action as? Increase { count += increase.by }
}
.validate(Increase.self) { _, increase, _ in
    guard increase.by > 0 else { throw Rejection(.invalid, "Only up.") }
}

@MainActor @Suite(.fewAtATime) struct RemoteStoreTests {
    @Test(.timeLimit(.minutes(30)))
    func `a dispatch is acked and shows in the mirror`() async throws {
        let server = SyncServer(port: 0, room: counter)
        let url = try await server.start()
        let connection = RemoteConnection(url)
        let store = RemoteStore(count, on: connection)
        let first = store.dispatch(Increase())
        let second = store.dispatch(Increase(by: 2))
        #expect(try await first.outcome.version >= 1)
        #expect(try await second.outcome.version == 2)
        #expect(store.state == 3)
        await #expect(throws: Rejection(.invalid, "Only up.")) {
            try await store.dispatch(Increase(by: -1)).outcome
        }
        connection.close()
        await server.stop()
    }
}

/// What a store shows when its subscription fails, lapses and returns: always the last state that
/// there was.
@MainActor @Suite(.fewAtATime) struct RemoteStoreLifeTests {
    /// What can go wrong with a subscription that has a value.
    enum Trouble: CaseIterable {
        case forbidden, failed, unreadable, misfitThenError, misfitThenRefusal, otherTagThenLapse
        case errorOnReturn, closed, refused, renewedThenError

        var code: Rejection.Code {
            switch self {
            case .forbidden, .otherTagThenLapse, .misfitThenError, .renewedThenError: .forbidden
            case .failed: .internal
            case .unreadable: .invalid
            case .errorOnReturn: .unknownSelection
            case .closed: .closed
            case .misfitThenRefusal, .refused: .unauthenticated
            }
        }

        /// Whether the connection lives on.
        var isPassing: Bool { ![.closed, .refused, .misfitThenRefusal].contains(self) }
    }

    private let network = ManualNetwork()
    private let connection: RemoteConnection

    init() {
        connection = network.connect()
        network.welcome()
    }

    private func makeStore(isOptimistic: Bool) -> RemoteStore<[String]> {
        defer { network.settle() }
        guard isOptimistic else { return RemoteStore(Shelf.books, on: connection) }
        return RemoteStore(Shelf.books, on: connection, optimistic: Shelf.put)
    }

    /// The server answers the newest subscription.
    private func subscribe(tag: String = "t") throws {
        let ref = try #require(network.connection.refs.last)
        network.say(#"{"op":"subscribed","ref":\#(ref),"sub":1,"tag":"\#(tag)","bytes":9}"#)
    }

    private func show(_ titles: String, version: Int) async {
        network.say(#"{"op":"snapshot","sub":1,"v":\#(version),"value":\#(titles)}"#)
        await connection.settleStores()
    }

    private func lapse(_ code: Rejection.Code) {
        network.say(#"{"op":"lapse","sub":1,"code":"\#(code)"}"#)
    }

    private func fail(_ code: Rejection.Code) throws {
        let ref = try #require(network.connection.refs.last)
        network.say(#"{"op":"error","code":"\#(code)","title":"No.","ref":\#(ref)}"#)
    }

    /// A patch that can't be applied: the value is lost, and the client asks for all of it.
    private func sendMisfit() {
        let count = network.connection.refs.count
        network.say(#"{"op":"patch","sub":1,"from":1,"v":2,"ops":[{"op":"remove","path":"/7"}]}"#)
        #expect(network.connection.refs.count == count + 1)
    }

    private func reconnect() {
        network.lose()
        connection.reconnect()
        network.settle()
        network.welcome(version: 9)
    }

    private func make(_ trouble: Trouble) async throws {
        switch trouble {
        case .forbidden, .failed: lapse(trouble.code)
        case .unreadable: network.say(#"{"op":"snapshot","sub":1,"v":3,"value":7}"#)
        case .misfitThenError:
            sendMisfit()
            try fail(trouble.code)
        case .misfitThenRefusal:
            sendMisfit()
            network.lose(4101, "Who are you?")
        case .otherTagThenLapse:
            reconnect()
            try subscribe(tag: "u")
            lapse(trouble.code)
        case .errorOnReturn:
            reconnect()
            try fail(trouble.code)
        case .closed:
            connection.close()
            network.settle()
        case .refused: network.lose(4101, "Who are you?")
        case .renewedThenError:
            lapse(Rejection.Code("renewed"))
            try fail(trouble.code)
        }
        await connection.settleStores()
    }

    @Test(arguments: Trouble.allCases, [false, true])
    func `a problem leaves the last state, and what comes after it takes both away`(
        _ trouble: Trouble, _ isOptimistic: Bool
    ) async throws {
        let store = makeStore(isOptimistic: isOptimistic)
        let listener = Listener<[String]>()
        store.subscribe(listener)
        try subscribe()
        await show(#"["Emma"]"#, version: 1)
        #expect(store.state == ["Emma"])
        try await make(trouble)
        #expect(store.state == ["Emma"])
        #expect(store.problem?.code == trouble.code)
        #expect(listener.heard == [["Emma"]])
        let late = Listener<[String]>()
        store.subscribe(late)
        #expect(late.heard == [["Emma"]])
        guard trouble.isPassing else { return }
        reconnect()
        try subscribe(tag: "v")
        await show(#"["Persuasion"]"#, version: 9)
        #expect(store.state == ["Persuasion"])
        #expect(store.problem == nil)
        #expect(listener.heard == [["Emma"], ["Persuasion"]])
    }

    @Test(arguments: [false, true])
    func `before the first state there is a problem and nothing else`(_ isOptimistic: Bool)
        async throws
    {
        let store = makeStore(isOptimistic: isOptimistic)
        try fail(.forbidden)
        await connection.settleStores()
        #expect(store.state == nil)
        #expect(store.problem?.code == .forbidden)
        reconnect()
        try subscribe()
        await show(#"["Emma"]"#, version: 9)
        #expect(store.state == ["Emma"])
        #expect(store.problem == nil)
    }

    @Test func `an outage is no problem of a store, and its state stays`() async throws {
        let store = makeStore(isOptimistic: false)
        try subscribe()
        await show(#"["Emma"]"#, version: 1)
        for _ in 1...3 {
            network.lose()
            await connection.settleStores()
            #expect(store.state == ["Emma"])
            #expect(store.problem == nil)
            connection.reconnect()
            network.settle()
        }
        network.welcome(version: 1)
        try subscribe()
        network.say(#"{"op":"current","sub":1,"v":1}"#)
        await connection.settleStores()
        #expect(store.state == ["Emma"])
        #expect(store.problem == nil)
    }

    @Test func `a subscription that is renewed shows nothing of it`() async throws {
        let store = makeStore(isOptimistic: false)
        try subscribe()
        await show(#"["Emma"]"#, version: 1)
        lapse(Rejection.Code("renewed"))
        await connection.settleStores()
        #expect(store.state == ["Emma"])
        #expect(store.problem == nil)
        #expect(network.connection.refs.count == 2)
        try subscribe(tag: "u")
        await show(#"["Persuasion"]"#, version: 2)
        #expect(store.state == ["Persuasion"])
    }

    @Test func `what is pending shows on the state that stayed, until its outcome`() async throws {
        let store = makeStore(isOptimistic: true)
        try subscribe()
        await show(#"["Emma"]"#, version: 1)
        let dispatch = store.dispatch(PutBook(title: "Sanditon"))
        network.settle()
        sendMisfit()
        try fail(.forbidden)
        await connection.settleStores()
        #expect(store.state == ["Emma", "Sanditon"])
        connection.close()
        network.settle()
        await connection.settleStores()
        #expect(store.state == ["Emma"])
        #expect(throws: Rejection.self) { try dispatch.result.settled?.get() }
    }
}
