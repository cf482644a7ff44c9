import Testing

@testable import StorecastRoom

/// Checks that run in the order of the log, just before the reducer.
struct RoomValidationTests {
    let loop = TestLoop()
    let journal = TestJournal()

    /// There are three bags of tea; the guest book is open for the first minute.
    private func open(seed: UInt64 = 1) -> Room<Shop> {
        loop.open(
            Shop.room
                .validate(AddTea.self) { shop, add, _ in
                    guard shop.tea + add.by <= 3 else {
                        throw Rejection(
                            .init("sold-out"), "Too little tea.", detail: "\(3 - shop.tea) left.")
                    }
                }
                .validate(Sign.self) { _, sign, sender in
                    guard sign.stamp.sender == sender, sign.stamp.time.secondsSince1970 < 60 else {
                        throw Rejection(.conflict, "Too late, \(sender.id).", retryAfter: nil)
                    }
                }, journal: journal, seed: seed)
    }

    private func finish() {
        journal.finish()
        loop.endTurn()
    }

    @Test func `each is asked about the state that those before it have left`() {
        let room = open()
        let ada = Wire.greeted(room, on: loop)
        let bob = Wire.greeted(room, on: loop, client: .bob)
        ada.push(Array(dispatchFrame(1, "AddTea", #"{"by":2}"#).utf8))
        bob.push(Array(dispatchFrame(1, "AddTea", #"{"by":2}"#).utf8))
        ada.push(Array(dispatchFrame(2, "AddTea", #"{"by":1}"#).utf8))
        loop.endTurn()
        #expect(journal.pending[0].batch.allSatisfy { $0.rejection == nil })
        finish()
        #expect(room.store.state.tea == 3)
        #expect(room.position.version == 2)
        #expect(ada.hear() == [parsed(#"{"op":"transaction","v":2,"count":0,"acked":2}"#)])
        #expect(
            bob.hear().first
                == parsed(
                    #"""
                    {"op":"reject","seq":1,"code":"sold-out","title":"Too little tea.",
                    "detail":"1 left.","retryable":false}
                    """#))
    }

    @Test func `of a large action that is rejected the journal keeps no payload, if it is known`()
        throws
    {
        let text = String(repeating: "x", count: 5000)
        let room = loop.open(
            Shop.room.validate(Write.self) { shop, write, _ in
                guard shop.tea > 0 else { throw Rejection(.conflict, "No tea.") }
            }, journal: journal)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Write", #"{"text":"\#(text)"}"#)
        // Before this one it would have been wrong to say no.
        ada.dispatch(2, "AddTea", #"{"by":1}"#)
        ada.dispatch(3, "Write", #"{"text":"\#(text)"}"#)
        while !journal.pending.isEmpty { finish() }
        #expect(ada.hear().filter { $0.op == "reject" }.map { $0["seq"] } == [1])
        #expect(journal.entries.map(\.actions.count) == [0, 1, 1])
        #expect(journal.entries[0].rejection?.code == .conflict)
        #expect(journal.entries[0].refused?.type == "Write")
        let again = loop.open(Shop.room, journal: journal, seed: 2)
        #expect(again.store.state == room.store.state)
        #expect(again.store.state.log == [text])
    }

    /// A large action is rejected before the journal has it, a small one behind that.
    @Test(arguments: [1, 5000])
    func `however much it says, a bounded part of that is kept and sent`(size: Int) {
        let long = String(repeating: "\u{e9}", count: 10_000)
        let room = loop.open(
            Shop.room.validate(Write.self) { _, _, _ in
                throw Rejection(.init(long), long, detail: long)
            }, journal: journal)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Write", #"{"text":"\#(String(repeating: "x", count: size))"}"#)
        finish()
        // 64 bytes of the code, 512 of title and detail.
        let text = String(long.prefix(256)) + "…"
        let bounded = Rejection(.init(String(long.prefix(32)) + "…"), text, detail: text)
        #expect(room.record(of: .ada)?.rejections.map(\.rejection) == [bounded])
        #expect(journal.entries.map(\.rejection) == [size == 1 ? nil : bounded])
        let reject = ada.hear().first("reject")
        #expect(reject?.code == bounded.code.description)
        #expect(reject?["title"]?.string == bounded.title)
        #expect(reject?["detail"]?.string == bounded.detail)
    }

    @Test func `whoever reads the log comes to the same outcomes, in words and all`() throws {
        let room = open()
        let ada = Wire.greeted(room, on: loop)
        for (seq, by) in [(1, 2), (2, 2), (3, 1), (4, 1)] {
            ada.dispatch(seq, "AddTea", #"{"by":\#(by)}"#)
            finish()
        }
        let again = open(seed: 2)
        #expect(again.store.state == room.store.state)
        #expect(again.position == room.position)
        let (old, new) = (
            try #require(room.record(of: .ada)), try #require(again.record(of: .ada))
        )
        #expect(new.rejections.map(\.seq) == [2, 4])
        #expect(new.rejections.map(\.rejection) == old.rejections.map(\.rejection))
        #expect(new.rejections.map(\.rejection.detail) == ["1 left.", "0 left."])
    }

    @Test func `it is shown the stamp, and its no is final however it is meant`() {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        let room = open()
        let ada = Wire.greeted(room, on: loop, rest: #","token":"ada""#)
        ada.dispatch(1, "Sign", #"{"text":"in time"}"#)
        loop.advance(by: 60)
        ada.dispatch(2, "Sign", #"{"text":"too late"}"#)
        finish()
        finish()
        #expect(room.store.state.log == ["in time ada 0.0"])
        let reject = ada.hear().first("reject")
        #expect(reject?["title"] == "Too late, ada.")
        #expect(reject?["retryable"] == false)
        // Received in time, reduced later: the stamp's time counts, also at replay.
        loop.advance(by: 600)
        #expect(open(seed: 2).store.state == room.store.state)
    }
}
