import Testing

@testable import StorecastMirror
@testable import StorecastRoom

struct ClientSessionTests {
    let loop = TestLoop()
    let client: TestClient

    init() {
        client = TestClient(on: loop)
    }

    private func follow(_ client: TestClient, _ selection: String, _ parameters: JSON? = nil)
        -> Mirror
    {
        let mirror = client.session.mirror(selection, parameters)
        mirror.observers[0] = { _ in }
        return mirror
    }

    @Test func `a mirror follows its selection`() {
        let room = loop.open(Shop.room)
        let mirror = follow(client, "tea")
        client.connect(to: room)
        client.settle()
        #expect(mirror.value == 0)
        room.dispatch(AddTea(by: 3), DispatchOutcome())
        client.settle()
        #expect(mirror.value == 3)
        #expect(mirror.position == Position(epoch: room.position.epoch, version: 1))
    }

    @Test func `an outcome comes when the mirrors show the action`() throws {
        let room = loop.open(Shop.room)
        let mirror = follow(client, "tea")
        client.connect(to: room)
        client.settle()
        let outcome = client.dispatch(AddTea(by: 3))
        var settled: [Bool] = []
        mirror.observers[0] = { _ in settled.append(outcome.settled != nil) }
        client.settle()
        #expect(settled == [false])
        #expect(mirror.value == 3)
        #expect(try outcome.settled?.get().version == 1)
        let bad = client.dispatch(AddBeer())
        client.settle()
        #expect(throws: Rejection.self) { try bad.settled?.get() }
        #expect(client.session.pendingCount == 0)
    }

    @Test func `the mirrors of a transaction have all moved when the first is announced`() {
        let room = loop.open(Shop.room)
        let (tea, coffee) = (follow(client, "tea"), follow(client, "coffee"))
        client.connect(to: room)
        client.settle()
        var isTogether: [Bool] = []
        for mirror in [tea, coffee] {
            mirror.observers[0] = { _ in
                isTogether.append(tea.value == coffee.value && tea.position == coffee.position)
            }
        }
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        room.dispatch(AddCoffee(by: 1), DispatchOutcome())
        let moves = client.moves
        client.settle()
        #expect(isTogether == [true, true])
        #expect(tea.value == 1)
        #expect(client.moves == moves + 1)
    }

    @Test func `a patch that doesn't fit leads to a new snapshot`() {
        let room = loop.open(Shop.room(from: Shop(log: Array(repeating: "tea", count: 50))))
        let log = follow(client, "log")
        client.connect(to: room)
        client.settle()
        // The mirror comes to hold something that the server never sent.
        log.take(["wrong"], at: room.position)
        room.dispatch(Write(text: "more"), DispatchOutcome())
        client.settle()
        #expect(client.troubles.count == 1)
        #expect(log.value?.array?.count == 51)
        #expect(room.sessionCount == 1)
        room.dispatch(Write(text: "more"), DispatchOutcome())
        client.settle()
        #expect(log.value?.array?.count == 52)
    }

    @Test func `a failed subscription says why, and doesn't touch others`() {
        let room = loop.open(Shop.room)
        let (beer, tea) = (follow(client, "beer"), follow(client, "tea"))
        client.connect(to: room)
        client.settle()
        #expect(beer.failure?.code == .unknownSelection)
        #expect(tea.failure == nil)
        #expect(tea.value == 0)
    }

    @Test func `a lapse for new rights subscribes again by itself`() {
        loop.authenticator = { .success(Identity("ada", roles: $0 == "boss" ? ["boss"] : [])) }
        let room = loop.open(Shop.room)
        let mine = follow(client, "mine")
        client.connect(to: room, token: "boss")
        client.settle()
        #expect(mine.value == [])
        client.wire?.say(#"{"op":"authenticate","token":"clerk"}"#)
        client.settle()
        #expect(mine.failure == nil)
        client.dispatch(Sign(text: "hi"))
        client.settle()
        #expect(mine.value == [.string(stampID(client: .ada, seq: 1))])
    }

    @Test func `a retryable reject holds everything back, then all goes on in order`() {
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(Shop.room, journal: journal)
        client.connect(to: room)
        client.settle()
        journal.failures = 1
        let outcomes = (1...3).map { client.dispatch(Write(text: "\($0)")) }
        client.settle()
        client.dispatch(Write(text: "4"))
        client.settle()
        #expect(room.store.state.log.isEmpty)
        #expect(outcomes.allSatisfy { $0.settled == nil })
        loop.advance(by: 0.9)
        client.settle()
        #expect(room.store.state.log.isEmpty)
        loop.advance(by: 0.2)
        client.settle()
        #expect(room.store.state.log == ["1", "2", "3", "4"])
        #expect(client.byes.isEmpty)
        #expect(client.session.pendingCount == 0)
    }

    @Test func `no message is larger than the server takes, however the frames fall`() {
        var limits = SyncLimits()
        limits.messageBytes = 3000
        let room = loop.open(Shop.room, limits: limits)
        client.connect(to: room)
        client.settle()
        for size in [10, 2700, 10, 1400, 1400, 1400, 10] {
            client.dispatch(Write(text: String(repeating: "x", count: size)))
        }
        while let message = client.session.nextMessage() { #expect(message.count <= 3000) }
        let big = client.dispatch(Write(text: String(repeating: "x", count: 3000)))
        #expect(throws: Rejection.self) { try big.settled?.get() }
    }

    @Test func `an action nested deeper than the server takes is refused at once`() {
        var limits = SyncLimits()
        limits.depth = 5
        let room = loop.open(Shop.room, limits: limits)
        client.connect(to: room)
        client.settle()
        let fine = DispatchOutcome()
        client.session.dispatch(
            OutgoingAction(type: "T", payload: Array("[[]]".utf8)), fine)
        #expect(fine.settled == nil)
        client.settle()
        #expect(client.wire?.closeCode == nil)
        #expect(fine.settled != nil)
        let deep = DispatchOutcome()
        client.session.dispatch(
            OutgoingAction(type: "T", payload: Array(#"[["]",[]]]"#.utf8)), deep)
        #expect(throws: Rejection.self) { try deep.settled?.get() }
    }

    @Test func `parameters that the server wouldn't take fail the mirror alone`() {
        var limits = SyncLimits()
        limits.messageBytes = 3000
        client.connect(to: loop.open(Shop.room, limits: limits))
        client.settle()
        let mirror = follow(client, "line", .string(String(repeating: "x", count: 3000)))
        client.settle()
        #expect(mirror.failure?.code == .invalidParameters)
        #expect(client.wire != nil)
    }

    @Test func `equal selections share a mirror, and the last one out ends it`() {
        let room = loop.open(Shop.room)
        client.connect(to: room)
        let mirror = follow(client, "line", 1)
        #expect(client.session.mirror("line", 1.0) === mirror)
        #expect(client.session.mirror("line", 2) !== mirror)
        client.settle()
        client.session.release(mirror)
        mirror.observers = [:]
        _ = client.takeSaid()
        client.session.release(mirror)
        client.settle()
        #expect(client.takeSaid().ops == ["unsubscribe"])
    }

    @Test func `closing ends every dispatch, and those that come later`() {
        let first = client.dispatch(Wait())
        client.session.close(Rejection(.closed, "Over."))
        let second = client.dispatch(Wait())
        #expect(throws: Rejection(.closed, "Over.")) { try first.settled?.get() }
        #expect(throws: Rejection(.closed, "Over.")) { try second.settled?.get() }
    }

    @Test(arguments: [
        "{", #"{"op":"snapshot","sub":1}"#, #"{"op":"transaction","v":1,"count":2}"#,
    ])
    func `a server that doesn't keep to the protocol is left`(_ text: String) {
        client.connect(to: loop.open(Shop.room))
        client.settle()
        let start = #"{"op":"transaction","v":1,"count":2}"#
        #expect(start.utf8.elementsEqual(text.utf8) || say(#"{"op":"later","x":1}"#))
        if text == start { #expect(say(start)) }
        #expect(!say(text))
    }

    @Test func `absurd numbers of a server do no harm`() {
        client.connect(to: loop.open(Shop.room))
        client.settle()
        client.dispatch(Wait())
        client.speak()
        let reject =
            #"{"op":"reject","seq":0,"code":"x","title":"x","retryable":true,"retryAfter":1e300}"#
        #expect(say(reject))
        #expect(say(reject.replacing("true", with: "false")))
        #expect(say(#"{"op":"transaction","v":9007199254740991,"count":0,"acked":9}"#))
        #expect(say(#"{"op":"patch","sub":77,"from":1,"v":2,"ops":[]}"#))
        loop.advance(by: 7200)
        #expect(client.session.nextMessage() == nil)
    }

    private func say(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { client.session.receive($0) }
    }
}

private struct AddBeer: SyncAction {}
