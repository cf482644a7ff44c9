import Storecast
@testable import StorecastRoom
import StorecastWire
import Testing

/// A room remembers what was settled of so many clients, and says in its log whom it forgets.
struct RoomForgettingTests {
    let loop = TestLoop()

    private func limits(clients: Int, rejections: Int = 1000) -> SyncLimits {
        var limits = SyncLimits()
        limits.clients = clients
        limits.rejections = rejections
        return limits
    }

    /// Clients come from an address, dispatch once, and go.
    private func crowd(
        _ count: Int, in room: Room<Shop>, from network: String = "", type: String = "Wait"
    ) {
        for number in 1...count {
            let wire = Wire.greeted(
                room, on: loop, client: "crowd-\(number)-0123456789", from: network)
            wire.dispatch(1, type, base: Int(room.position.version))
            wire.session.disconnected()
            loop.endTurn()
        }
    }

    @Test func `a connected client isn't forgotten, though it says nothing for long`() {
        let room = loop.open(Shop.room, limits: limits(clients: 2))
        let idle = Wire.greeted(room, on: loop)
        let active = Wire.greeted(room, on: loop, client: .bob)
        active.dispatch(1, "AddTea", #"{"by":1}"#)
        crowd(20, in: room)
        // Both know no other version than that of their welcome.
        idle.say(
            "[\(dispatchFrame(1, "AddTea", #"{"by":10}"#)),"
                + "\(dispatchFrame(2, "AddTea", #"{"by":100}"#))]")
        active.dispatch(2, "AddTea", #"{"by":1000}"#)
        #expect(room.store.state.tea == 1111)
        #expect(idle.hear().ops == ["transaction"])
        #expect(active.hear().ops == ["transaction", "transaction"])
        #expect(room.ledger.count <= 4)
    }

    @Test func `a crowd of one address makes room for itself`() {
        let room = loop.open(Shop.room, limits: limits(clients: 10))
        let ada = Wire.greeted(room, on: loop, from: "192.0.2.1")
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.session.disconnected()
        crowd(200, in: room, from: "192.0.2.66")
        let again = Wire.greeted(room, on: loop, rest: #","settled":1"#, from: "192.0.2.1")
        again.dispatch(2, "AddTea", #"{"by":1}"#, base: 0)
        #expect(room.store.state.tea == 2)
        #expect(room.ledger.count <= 11)
    }

    @Test func `identities have shares of their own, whatever address they come from`() {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        let room = loop.open(Shop.room, limits: limits(clients: 10))
        for number in 1...100 {
            let name = number == 5 ? "ada" : "eve"
            let wire = Wire.greeted(
                room, on: loop, client: "\(name)-\(number)-0123456789",
                rest: #","token":"\#(name)""#)
            wire.dispatch(1, "Wait", base: Int(room.position.version))
            wire.session.disconnected()
            loop.endTurn()
        }
        #expect(room.ledger[client: "ada-5-0123456789"] != nil)
        #expect(room.ledger[client: "eve-1-0123456789"] == nil)
        #expect(room.ledger[client: "eve-100-0123456789"] != nil)
    }

    @Test func `rejections go before clients, those of whoever has the most`() {
        let room = loop.open(Shop.room, limits: limits(clients: 1000, rejections: 64))
        let ada = Wire.greeted(room, on: loop, from: "192.0.2.1")
        ada.dispatch(1, "Nope")
        ada.session.disconnected()
        // They never say what they know, and each has a window of rejections.
        for number in 1...10 {
            let wire = Wire.greeted(
                room, on: loop, client: "crowd-\(number)-0123456789", from: "192.0.2.66")
            for seq in 1...20 { wire.dispatch(seq, "Nope") }
            wire.session.disconnected()
            loop.endTurn()
        }
        #expect(room.ledger.rejectionCount <= 64)
        #expect(room.ledger.count == 12)
        let welcome = Wire(to: room, on: loop)
        welcome.say(hello())
        #expect(
            welcome.hear().first("welcome")?["rejected"]?.array?.map { $0.code }
                == ["unknown-action"])
        // What is forgotten isn't told as a success.
        let eve = Wire(to: room, on: loop)
        eve.say(hello("crowd-1-0123456789"))
        let rejected = eve.hear().first("welcome")?["rejected"]?.array ?? []
        #expect(rejected.map(\.code) == Array(repeating: "outcome-unknown", count: 20))
    }

    @Test func `whoever comes while the journal is told of it is welcomed after that`() {
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(Shop.room, journal: journal, limits: limits(clients: 1))
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.session.disconnected()
        journal.isImmediate = false
        let bob = Wire.greeted(room, on: loop, client: .bob)
        bob.dispatch(1, "Wait", base: 1)
        journal.finish(.kept)
        loop.endTurn()
        #expect(journal.pending.last?.batch.last?.actions.first is ForgetClients)
        let again = Wire(to: room, on: loop)
        again.say(hello())
        #expect(again.hear().isEmpty)
        journal.finish(.kept)
        loop.endTurn()
        #expect(again.hear().map { $0["lastSeq"] } == [0])
        again.dispatch(1, "AddTea", #"{"by":1}"#)
        journal.finish(.kept)
        loop.endTurn()
        #expect(again.hear().map(\.code).first == "outcome-unknown")
        #expect(room.store.state.tea == 1)
    }

    @Test func `when the journal refuses, nobody is forgotten, and it is tried again`() {
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(Shop.room, journal: journal, limits: limits(clients: 1))
        crowd(1, in: room)
        journal.isImmediate = false
        let bob = Wire.greeted(room, on: loop, client: .bob)
        bob.dispatch(1, "Wait", base: 1)
        journal.finish(.kept)
        loop.endTurn()
        journal.finish(.refused)
        loop.endTurn()
        #expect(room.ledger.count == 2)
        #expect(room.ledger.horizon == 0)
        bob.dispatch(2, "Wait", base: 1)
        journal.finish(.kept)
        loop.endTurn()
        journal.finish(.kept)
        #expect(room.ledger[client: "crowd-1-0123456789"] == nil)
        #expect(room.ledger[client: .bob] != nil)
    }

    @Test func `whoever has an entry in the batch isn't forgotten by it`() {
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(Shop.room, journal: journal, limits: limits(clients: 1))
        crowd(1, in: room)
        let idle = Wire.greeted(room, on: loop, client: .bob)
        idle.dispatch(1, "Wait", base: 1)
        journal.isImmediate = false
        // Its first is on its way, its second waits, and it is gone.
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#, base: 1)
        ada.dispatch(2, "AddTea", #"{"by":1}"#, base: 1)
        ada.session.disconnected()
        journal.finish(.kept)
        loop.endTurn()
        let batch = journal.pending.last?.batch ?? []
        #expect(batch.map(\.client).contains(.ada))
        let forgotten = batch.compactMap { $0.actions.first as? ForgetClients }.flatMap(\.clients)
        #expect(!forgotten.contains(ClientLedger.mark(of: .ada)))
        journal.finish(.kept)
        loop.endTurn()
        #expect(room.store.state.tea == 2)
    }

    @Test func `the server's own dispatch isn't taken for forgotten`() {
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(Shop.room, journal: journal, limits: limits(clients: 1))
        crowd(3, in: room)
        journal.isImmediate = false
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        loop.endTurn()
        journal.finish(.kept)
        #expect(room.store.state.tea == 1)
    }

    @Test func `who came to an earlier process isn't in a crowd`() {
        let journal = MemoryJournal(capacity: .max)
        let first = loop.open(Shop.room, journal: journal)
        for number in 1...6 {
            let wire = Wire.greeted(
                first, on: loop, client: "early-\(number)-0123456789", from: "192.0.2.\(number)")
            wire.dispatch(1, "Wait", base: Int(first.position.version))
            wire.session.disconnected()
        }
        let second = loop.open(Shop.room, journal: journal, limits: limits(clients: 12))
        crowd(50, in: second, from: "192.0.2.66")
        for number in 1...6 {
            #expect(second.ledger[client: "early-\(number)-0123456789"] != nil)
        }
    }

    @Test func `clients can't have others forgotten`() {
        let room = loop.open(Shop.room)
        let eve = Wire.greeted(room, on: loop)
        eve.dispatch(1, "storecast.forget", #"{"clients":["1"],"rejections":[]}"#)
        #expect(eve.hear().map(\.code).first == "forbidden")
    }

    @Test func `no reducer and no subscriber hears of it`() {
        let heard = Tally()
        let room = loop.open(
            Shop.room.onOpen { store in store.subscribe(Ear(heard)) },
            limits: limits(clients: 3))
        crowd(10, in: room, from: "192.0.2.66")
        // Waits change nothing, nor does it change anything who is forgotten.
        #expect(room.position.version > 10)
        #expect(room.store.state == Shop())
        #expect(room.forgetting.networks.count <= 4)
        #expect(heard.count == 1)
    }
}

private final class Ear: StoreSubscriber {
    private let heard: Tally

    init(_ heard: Tally) { self.heard = heard }

    func newState(state: Shop) { heard.increase() }
}
