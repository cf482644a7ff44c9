import StorecastRoom
import Testing

struct RoomReconnectTests {
    let loop = TestLoop()

    @Test func `welcome says what was settled, and what of it was rejected`() {
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Wait")
        ada.dispatch(2, "Nope")
        ada.dispatch(3, "AddTea", #"{"by":true}"#)
        ada.dispatch(4, "Wait")
        ada.session.disconnected()
        let welcome = welcome(room)
        #expect(welcome?["lastSeq"] == 4)
        #expect(welcome?.v == 2)
        #expect(welcome?["rejected"]?.array?.map { $0["seq"] } == [2, 3])
        #expect(welcome?["rejected"]?[0]?["code"] == "unknown-action")
        // Those that the client knows of are left out.
        let second = self.welcome(room, #","settled":2"#)
        #expect(second?["rejected"]?.array?.map { $0["seq"] } == [3])
        #expect(self.welcome(room, #","settled":3"#)?["rejected"] == nil)
    }

    @Test func `the next number is due, and what is settled isn't taken again`() {
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.session.disconnected()
        let again = Wire.greeted(room, on: loop)
        again.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(again.closeCode == .protocolViolation)
        let third = Wire.greeted(room, on: loop)
        third.dispatch(2, "AddTea", #"{"by":1}"#)
        #expect(room.store.state.tea == 2)
    }

    @Test func `rejects are forgotten when the client says that it knows them`() {
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop)
        for seq in 1...3 { ada.dispatch(seq, "Nope") }
        #expect(room.record(of: .ada)?.rejections.map(\.seq) == [1, 2, 3])
        ada.say(
            #"{"op":"dispatch","seq":4,"base":0,"settled":2,"action":{"type":"Wait"}}"#)
        #expect(room.record(of: .ada)?.rejections.map(\.seq) == [3])
    }

    @Test func `a room of a new history begins behind what the client knows`() {
        let room = loop.open(Shop.room)
        let ada = Wire(to: room, on: loop)
        ada.say(hello(.ada, #","settled":7,"seen":{"epoch":"old","v":70}"#))
        #expect(ada.hear().first?["lastSeq"] == 0)
        ada.dispatch(8, "AddTea", #"{"by":1}"#)
        #expect(ada.hear().map { $0["acked"] } == [8])
    }

    @Test func `a client id belongs to the identity that used it first`() {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop, rest: #","token":"ada""#)
        // While it is connected, even if it never dispatched,
        let bob = Wire(to: room, on: loop)
        bob.say(hello(.ada, #","token":"bob""#))
        #expect(bob.hear().map(\.code) == ["forbidden"])
        #expect(bob.closeCode == .forbidden)
        #expect(ada.closeCode == nil)
        // and ever after it did.
        ada.dispatch(1, "Wait")
        ada.session.disconnected()
        let again = Wire(to: room, on: loop)
        again.say(hello(.ada, #","token":"bob""#))
        #expect(again.hear().map(\.code) == ["forbidden"])
    }

    @Test func `a replaced connection hears why, and its selections end`() {
        let room = loop.open(Shop.room)
        let old = Wire.greeted(room, on: loop)
        old.say(#"{"op":"subscribe","ref":1,"select":"tea"}"#)
        _ = old.hear()
        let new = Wire(to: room, on: loop)
        new.say(hello())
        #expect(old.hear().map { $0["reconnect"] } == [false])
        #expect(new.hear().ops == ["welcome"])
        #expect(room.sessionCount == 1)
        old.session.disconnected()
        #expect(room.sessionCount == 1)
    }

    @Test func `a hello that comes late doesn't replace the client's next connection`() {
        let room = loop.open(Shop.room)
        let first = Wire(to: room, on: loop)
        let second = Wire.greeted(room, on: loop)
        first.say(hello())
        #expect(first.hear().map(\.code) == ["replaced"])
        second.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(second.hear().ops == ["transaction"])
    }

    @Test func `a client that was forgotten is told that nobody can tell, for all it had sent`() {
        var limits = SyncLimits()
        limits.clients = 1
        let room = loop.open(Shop.room, limits: limits)
        let ada = Wire.greeted(room, on: loop)
        ada.say(
            "[\(dispatchFrame(1, "AddTea", #"{"by":1}"#)),"
                + "\(dispatchFrame(2, "AddTea", #"{"by":1}"#))]")
        ada.session.disconnected()
        let bob = Wire.greeted(room, on: loop, client: .bob)
        bob.dispatch(1, "Wait", base: 2)
        loop.endTurn()
        // Ada heard of neither outcome, and sends both again.
        let again = Wire.greeted(room, on: loop)
        again.dispatch(1, "AddTea", #"{"by":1}"#)
        again.dispatch(2, "AddTea", #"{"by":1}"#)
        again.dispatch(3, "AddTea", #"{"by":1}"#, base: 3)
        #expect(room.store.state.tea == 3)
        #expect(
            again.hear().map { $0["code"]?.string ?? $0.op } == [
                "outcome-unknown", "transaction", "outcome-unknown", "transaction",
                "transaction",
            ])
    }

    private func welcome(_ room: Room<Shop>, _ rest: String = "") -> JSON? {
        let wire = Wire(to: room, on: loop)
        wire.say(hello(.ada, rest))
        defer { wire.session.disconnected() }
        return wire.hear().first("welcome")
    }
}
