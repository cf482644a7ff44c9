import StorecastRoom
import Testing

struct RoomDispatchTests {
    let loop = TestLoop()

    @Test func `dispatches are reduced in order and acked`() {
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop)
        for seq in 1...3 { ada.dispatch(seq, "Write", #"{"text":"\#(seq)"}"#) }
        #expect(room.store.state.log == ["1", "2", "3"])
        #expect(ada.hear().map { $0["acked"] } == [1, 2, 3])
    }

    @Test(arguments: [
        String(repeating: "x", count: 100_000), "a" + String(repeating: "\u{301}", count: 100_000),
    ])
    func `a rejection doesn't repeat, or keep, all that a client wrote`(_ name: String) throws {
        let room = loop.open(Shop.room)
        let wire = Wire.greeted(room, on: loop)
        wire.dispatch(1, name)
        wire.dispatch(2, "AddTea", #"{"by":{"\#(name)":1}}"#)
        wire.say(#"{"op":"subscribe","ref":1,"select":"\#(name)"}"#, #"{"op":"\#(name)"}"#)
        for message in wire.hearMessages() { #expect(message.frameSize < 2000) }
        let kept = try #require(room.record(of: .ada)).rejections.map(\.rejection)
        #expect(kept.map(\.code) == [.unknownAction, .invalid])
        for rejection in kept { #expect(rejection.description.utf8.count <= 1100) }
    }

    @Test(arguments: [[2], [1, 3], [1, 1], [1, 2, 1]])
    func `a gap or a repetition is a violation`(_ seqs: [Int]) {
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop)
        for seq in seqs { ada.dispatch(seq, "Wait") }
        #expect(ada.hear().last?.code == "protocol-violation")
        #expect(ada.closeCode == .protocolViolation)
        #expect(room.position.version == UInt64(seqs.count - 1))
    }

    @Test func `the window counts from what was acked`() {
        var limits = SyncLimits()
        limits.window = 3
        let ada = Wire.greeted(loop.open(Shop.room, limits: limits), on: loop)
        ada.isWritable = false
        for seq in 1...3 { ada.dispatch(seq, "Wait") }
        ada.resume()
        #expect(ada.hear().last?["acked"] == 3)
        ada.isWritable = false
        for seq in 4...6 { ada.dispatch(seq, "Wait") }
        #expect(ada.closeCode == nil)
        ada.dispatch(7, "Wait")
        #expect(ada.closeCode == .protocolViolation)
    }

    @Test func `what can't be reduced is rejected for good, and why is said`() {
        let room = loop.open(
            Shop.room
                .authorize(AddCoffee.self) { _, sender in
                    throw Rejection(.forbidden, "Tea only.", detail: "for \(sender.id)")
                }
                .validate(AddTea.self) { shop, add, _ in
                    guard shop.tea + add.by >= 0 else {
                        throw Rejection(.init("sold-out"), "No tea left.")
                    }
                }
                .validate(Wait.self) { _, _, _ in throw CancellationError() })
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Beer")
        ada.dispatch(2, "AddTea", #"{"by":"x"}"#)
        ada.dispatch(3, "AddTea")
        ada.dispatch(4, "AddCoffee", #"{"by":1}"#)
        ada.dispatch(5, "AddTea", #"{"by":-1}"#)
        ada.dispatch(6, "Wait")
        let heard = ada.hear()
        let rejects = heard.filter { $0.op == "reject" }
        #expect(
            rejects.map(\.code) == [
                "unknown-action", "invalid", "invalid", "forbidden", "sold-out", "internal",
            ])
        #expect(rejects.map { $0["seq"] } == [1, 2, 3, 4, 5, 6])
        #expect(rejects.allSatisfy { $0["retryable"] == false })
        #expect(rejects[1]["detail"]?.string?.contains("by") == true)
        // What an error of the server says is not for clients.
        #expect(rejects[5]["detail"] == nil)
        #expect(loop.reports.count == 1)
        #expect(heard.filter { $0.op == "transaction" }.map { $0["acked"] } == [1, 2, 3, 4, 5, 6])
        #expect(room.position.version == 0)
        #expect(room.store.state == Shop())
    }

    @Test func `middleware may stop, change and add actions; it stays one dispatch`() {
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(
            Shop.room.onOpen { store in
                store.middleware = [
                    { dispatch, _ in
                        { next in
                            { action in
                                switch action {
                                case is Wait: break
                                case let add as AddTea where add.by == 1:
                                    next(AddTea(by: 10))
                                    dispatch(Write(text: "ten"))
                                default: next(action)
                                }
                            }
                        }
                    }
                ]
            }, journal: journal)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.dispatch(2, "Wait")
        #expect(room.store.state == Shop(tea: 10, log: ["ten"]))
        #expect(journal.entries.map(\.actions.count) == [2, 0])
        #expect(ada.hear().map(\.v) == [1, 2])
    }

    @Test(arguments: [false, true])
    func `all that middleware makes has to be among the room's actions`(replaces: Bool) {
        struct Unlisted: SyncAction {}
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(
            Shop.room.onOpen { store in
                store.middleware = [
                    { dispatch, _ in
                        { next in
                            { action in
                                if replaces, action is AddTea { return next(Unlisted()) }
                                next(action)
                                if action is AddTea { dispatch(Unlisted()) }
                            }
                        }
                    }
                ]
            }, journal: journal)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(ada.hear().first("reject")?.code == "unknown-action")
        #expect(room.store.state == Shop())
        #expect(loop.open(Shop.room, journal: journal, seed: 2).phase == .ready)
    }

    @Test func `what middleware made of a dispatch takes effect together or not at all`() {
        let room = loop.open(
            Shop.room
                .validate(AddCoffee.self) { _, _, _ in throw Rejection(.conflict, "No.") }
                .onOpen { store in
                    store.middleware = [
                        { dispatch, _ in
                            { next in
                                { action in
                                    next(action)
                                    if action is AddTea { dispatch(AddCoffee(by: 1)) }
                                }
                            }
                        }
                    ]
                })
        let observer = States()
        room.store.subscribe(observer)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(ada.hear().map { $0["code"]?.string ?? $0.op } == ["conflict", "transaction"])
        #expect(room.store.state == Shop())
        // Nobody was shown the half of it.
        #expect(observer.seen.allSatisfy { $0 == Shop() })
    }

    @Test func `middleware that dispatches later makes a dispatch of the server's own`() {
        let journal = TestJournal(isImmediate: true)
        let later = Later()
        let room = loop.open(
            Shop.room.onOpen { store in
                store.middleware = [
                    { dispatch, _ in
                        { next in
                            { action in
                                next(action)
                                if action is Wait {
                                    later.work = { dispatch(AddTea(by: 5)) }
                                }
                            }
                        }
                    }
                ]
            }, journal: journal)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Wait")
        later.work()
        loop.endTurn()
        #expect(room.store.state.tea == 5)
        #expect(room.position.version == 2)
        #expect(journal.entries.map(\.client).last != .ada)
    }

    @Test func `the server's own dispatches have outcomes too`() throws {
        let room = loop.open(
            Shop.room.validate(AddTea.self) { _, add, _ in
                guard add.by > 0 else { throw Rejection(.invalid, "Only up.") }
            })
        let (good, bad) = (DispatchOutcome(), DispatchOutcome())
        room.dispatch(AddTea(by: 1), good)
        room.dispatch(AddTea(by: -1), bad)
        #expect(good.settled == nil)
        loop.endTurn()
        #expect(try good.settled?.get().version == 1)
        #expect(throws: Rejection(.invalid, "Only up.")) { try bad.settled?.get() }
    }

    @Test func `a stamp says who, when and by what chance, and can't be forged`() {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        loop.advance(by: 77)
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(Shop.room, journal: journal)
        let ada = Wire.greeted(room, on: loop, rest: #","token":"ada""#)
        ada.dispatch(
            1, "Sign", #"{"text":"hi","stamp":{"id":"x","sender":"root","time":0,"seed":1}}"#)
        #expect(room.store.state.log == ["hi ada 77.0"])
        #expect(room.store.state.notes == ["ada": [stampID(client: .ada, seq: 1)]])
        let stamp = (journal.entries[0].actions[0] as? Sign)?.stamp
        #expect(stamp?.seed == journal.entries[0].seed)
        ada.dispatch(2, "Sign", #"{"text":"hi"}"#)
        #expect(journal.entries[1].seed != journal.entries[0].seed)
    }

    @Test func `an unencodable selection of another turn doesn't hold up dispatches`() {
        let room = loop.open(Shop.room)
        let (ada, bob) = (
            Wire.greeted(room, on: loop), Wire.greeted(room, on: loop, client: .bob)
        )
        bob.isWritable = false
        for seq in 1...10 { ada.dispatch(seq, "Wait") }
        #expect(ada.hear().last?["acked"] == 10)
    }
}

private final class States: StoreSubscriber {
    private(set) var seen: [Shop] = []

    func newState(state: Shop) { seen.append(state) }
}

/// Work that a test does when it likes; on its one thread.
private final class Later: @unchecked Sendable {
    var work: () -> Void = {}
}
