@testable import StorecastRoom
import Testing

/// A room with a journal that takes its time, and may fail.
struct RoomJournalTests {
    let loop = TestLoop()
    let journal = TestJournal()
    let room: Room<Shop>

    init() {
        let room = loop.open(Shop.room, journal: journal)
        loop.maker = { _ in room }
        self.room = room
    }

    /// A client that has come through the loop, as all do in a server.
    private func entered() -> Wire {
        let wire = Wire(1, to: "/", on: loop)
        wire.say(hello())
        _ = wire.hear()
        return wire
    }

    @Test func `nothing is reduced or acked before the journal has it`() {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.dispatch(2, "AddTea", #"{"by":1}"#)
        #expect(room.store.state.tea == 0)
        #expect(ada.hear().isEmpty)
        // One batch is in flight; what comes meanwhile is the next.
        #expect(journal.pending.map(\.batch.count) == [1])
        finish()
        #expect(room.store.state.tea == 1)
        #expect(ada.hear().map { $0["acked"] } == [1])
        #expect(journal.pending.map(\.batch.count) == [1])
        finish()
        #expect(ada.hear().map { $0["acked"] } == [2])
    }

    @Test func `a room that opens a journal with a history becomes what it was`() throws {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Sign", #"{"text":"hi"}"#)
        ada.dispatch(2, "Nonsense")
        finish()
        finish()
        loop.advance(by: 60)
        let again = loop.open(Shop.room, journal: journal, seed: 2)
        #expect(again.phase == .ready)
        #expect(again.store.state == room.store.state)
        #expect(again.position == room.position)
        let record = try #require(again.record(of: .ada))
        #expect(record.lastSeq == 2)
        #expect(record.rejections.map(\.rejection.code) == [.unknownAction])
    }

    @Test func `who was replaced as the room's writer tells nobody anything of it any more`() {
        let ada = entered()
        let outcome = DispatchOutcome()
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        room.dispatch(Write(text: "own"), outcome)
        loop.endTurn()
        journal.finish(.replaced)
        loop.endTurn()
        // What has no outcome is sent again to whoever goes on with the room.
        let heard = ada.hear()
        #expect(heard.map { $0["op"] } == ["bye"])
        #expect(heard.first?["reconnect"] == true)
        #expect(ada.closeCode == .goingAway)
        #expect(throws: Rejection.self) { try outcome.settled?.get() }
        #expect(room.hasFailed)
        #expect(room.store.state == Shop())
        #expect(loop.reports == ["The room '/' is left to another server: The test says so."])
        // Nor does it write that they left.
        room.leave(ada.session)
        loop.advance(by: 3600)
        loop.endTurn()
        #expect(journal.pending.isEmpty)
        #expect(room.gauges.waiting == 0)
        let late = DispatchOutcome()
        room.dispatch(Write(text: "late"), late)
        #expect(throws: Rejection.self) { try late.settled?.get() }
    }

    @Test func `a room that is left is counted once, and what the journal refused for that`() {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        room.leave("It goes elsewhere.")
        let counts = loop.rooms.flushes.counts
        #expect(counts.left == 1 && counts.appended.replaced == 0)
        // What was on its way is refused.
        journal.finish(.replaced)
        #expect(counts.left == 1 && counts.appended.replaced == 1)
        #expect(counts.appended.failures == 0)
    }

    @Test func `a room says that its journal refuses until it takes something again`() {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(!room.gauges.isRefused)
        journal.finish(.refused)
        loop.endTurn()
        #expect(room.gauges.isRefused)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        loop.endTurn()
        #expect(room.gauges.isRefused)
        finish()
        #expect(!room.gauges.isRefused)
        #expect(room.store.state.tea == 1)
    }

    @Test func `a room that is left as it was told is no fault`() {
        room.leave("It goes elsewhere.", asTold: true)
        #expect(loop.reports == [])
        #expect(loop.notices == ["The room '/' is left to another server: It goes elsewhere."])
    }

    @Test func `a takeover lasts from asking for the room until it goes on`() {
        let other = TestJournal()
        other.opensRooms = false
        other.isTakenOver = true
        let taken = loop.open(Shop.room, at: "/taken", journal: other)
        loop.advance(by: 2)
        #expect(loop.times(of: .takeover) == [])
        other.finishOpening()
        #expect(taken.isReady)
        #expect(loop.times(of: .takeover) == [.seconds(2)])
        // The room of this test was its own process's.
        #expect(room.isReady)
    }

    @Test func `what was refused binds its client's id to nobody once the client has left`() {
        loop.authenticator = { _ in .success(Identity("ada")) }
        let ada = Wire.greeted(room, on: loop)
        for seq in 1...3 { ada.dispatch(seq, "AddTea", #"{"by":1}"#) }
        finish(false)
        finish(false)
        #expect(journal.pending.isEmpty)
        ada.session.disconnected()
        loop.endTurn()
        #expect(room.orphans.isEmpty)
        loop.authenticator = { _ in .success(Identity("bob")) }
        let bob = Wire.greeted(room, on: loop)
        #expect(bob.closeCode == nil)
    }

    @Test func `a client that has seen more makes the room ask whether it is another server's`() {
        func come(_ client: String) -> Wire {
            let wire = Wire(to: room, on: loop)
            wire.say(hello(client, #","seen":{"epoch":"test-epoch","v":7}"#))
            return wire
        }
        let ada = entered()
        // Anybody may say so: nothing happens if it isn't true, however often it is said.
        for number in 0..<3 {
            let liar = come("client-\(number)-0123456789abcdef")
            #expect(liar.closeCode == .behind)
        }
        #expect(journal.timesAsked == 1)
        #expect(ada.closeCode == nil && room.phase == .ready)
        loop.advance(by: 1)
        journal.isAlone = false
        #expect(come("client-4-0123456789abcdef").closeCode == .behind)
        #expect(journal.timesAsked == 2)
        #expect(ada.closeCode == .goingAway)
        #expect(room.hasFailed)
    }

    @Test func `while the disk is nearly full the room takes nothing, and says so once`() {
        let ada = Wire.greeted(room, on: loop)
        journal.freeBytes = SyncLimits().diskReserve - 1
        for _ in 0..<3 {
            ada.dispatch(1, "AddTea", #"{"by":1}"#)
            #expect(ada.hear().map { $0["error"]?["code"] ?? $0["code"] } == ["unavailable"])
        }
        #expect(journal.pending.isEmpty)
        #expect(
            loop.reports == [
                "The journal of room '/' took nothing: The disk has 63 MiB left, less "
                    + "than the limit disk-reserve."
            ])
        loop.advance(by: 60)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(loop.reports.count == 2)
        journal.freeBytes = SyncLimits().diskReserve
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        finish()
        #expect(room.store.state.tea == 1)
    }

    @Test func `what holds everybody up is told, once a minute, and what is quick isn't`() {
        let ada = Wire.greeted(room, on: loop)
        func dispatch(_ seq: Int, whileALookTakes seconds: Double) {
            ada.dispatch(seq, "AddTea", #"{"by":1}"#)
            loop.tick = seconds
            finish()
            loop.tick = 0
        }
        dispatch(1, whileALookTakes: 0.001)
        #expect(room.store.state.tea == 1 && loop.reports == [])
        for seq in 2...3 { dispatch(seq, whileALookTakes: 0.03) }
        #expect(room.store.state.tea == 3 && loop.reports.count == 1)
        let start = "Room '/' held up everybody on its loop: an action of type 'AddTea' took "
        #expect(loop.reports.first?.hasPrefix(start) == true)
        #expect(loop.reports.first?.hasSuffix(" ms.") == true)
        loop.advance(by: 60)
        dispatch(4, whileALookTakes: 0.03)
        #expect(loop.reports.count == 2)
    }

    @Test func `of what was refused the journal keeps the type, the size and a digest`() throws {
        let long = String(repeating: "é", count: 1000)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, #"Pwn\u001b[2J"#, #"{ "a" : [1] }"#)
        ada.dispatch(2, "AddTea", #"{"by":"\#(long)"}"#)
        ada.dispatch(3, String(repeating: "e\u{301}", count: 1000))
        finish()
        finish()
        let kept = try journal.entries.enumerated().map { index, entry in
            let line = JournalLine.entry(offset: UInt64(index + 1), try JournalRecord(entry))
            return try JSON(parsing: String(decoding: line.bytes(), as: UTF8.self))
        }
        try #require(kept.count == 3)
        #expect(
            kept[0]["refused"]
                == ["type": "Pwn\u{1B}[2J", "bytes": 13, "digest": "59aaf75a8ec154cd"])
        #expect(kept[1]["refused"]?["type"] == "AddTea")
        #expect(kept[1]["refused"]?["bytes"] == 2009)
        // Without a payload, as with an empty one.
        #expect(kept[2]["refused"]?["digest"] == "8f44b07b5901a25")
        #expect(kept[2]["refused"]?["type"]?.string?.utf8.count ?? 0 < 300)
        #expect(kept.map { $0["actions"] } == [[], [], []])
        // Whatever it is, it is no action to who reads the log.
        let again = loop.open(Shop.room, journal: journal, seed: 2)
        #expect(again.phase == .ready)
        #expect(again.store.state == Shop())
    }

    @Test func `a failure asks for the first again, and the later ones are ignored till then`() {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Write", #"{"text":"1"}"#)
        ada.dispatch(2, "Write", #"{"text":"2"}"#)
        finish(false)
        let heard = ada.hear()
        #expect(heard.ops == ["reject"])
        #expect(heard[0]["seq"] == 1)
        #expect(heard[0].code == "unavailable")
        #expect(heard[0]["retryable"] == true)
        #expect(heard[0]["retryAfter"] == 1)
        // 2 was taken already and is forgotten, 3 was under way.
        ada.dispatch(3, "Write", #"{"text":"3"}"#)
        #expect(ada.hear().isEmpty)
        #expect(journal.pending.isEmpty)
        for seq in 1...3 { ada.dispatch(seq, "Write", #"{"text":"\#(seq)"}"#) }
        finish()
        finish()
        #expect(room.store.state.log == ["1", "2", "3"])
        #expect(ada.hear().last?["acked"] == 3)
    }

    @Test func `while one is to come again, an earlier number is a violation`() {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Wait")
        finish()
        ada.dispatch(2, "Wait")
        finish(false)
        ada.dispatch(1, "Wait")
        #expect(ada.closeCode == .protocolViolation)
    }

    @Test func `a check that says not now keeps the client's order as well`() {
        let isOpen = Tally()
        let room = loop.open(
            Shop.room.authorize(Write.self) { write, _ in
                if write.text == "1", isOpen.count == 0 {
                    throw Rejection(.unavailable, "Closed.", retryAfter: .seconds(5))
                }
            }, journal: TestJournal(isImmediate: true))
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Write", #"{"text":"1"}"#)
        ada.dispatch(2, "Write", #"{"text":"2"}"#)
        #expect(ada.hear().map { $0["retryAfter"] } == [5])
        isOpen.increase()
        ada.dispatch(1, "Write", #"{"text":"1"}"#)
        ada.dispatch(2, "Write", #"{"text":"2"}"#)
        #expect(room.store.state.log == ["1", "2"])
    }

    @Test func `other clients aren't touched by one that has to go back`() {
        let ada = Wire.greeted(room, on: loop)
        let bob = Wire.greeted(room, on: loop, client: .bob)
        ada.dispatch(1, "Write", #"{"text":"ada"}"#)
        bob.dispatch(1, "Write", #"{"text":"bob"}"#)
        finish(false)
        #expect(ada.hear().ops == ["reject"])
        finish()
        #expect(bob.hear().ops == ["transaction"])
        #expect(room.store.state.log == ["bob"])
    }

    @Test func `what an older connection sent is settled for the one that replaced it`() {
        let old = Wire.greeted(room, on: loop)
        old.dispatch(1, "Write", #"{"text":"1"}"#)
        old.dispatch(2, "Write", #"{"text":"2"}"#)
        let new = Wire.greeted(room, on: loop)
        #expect(old.hear().map(\.code) == ["replaced"])
        #expect(old.closeCode == .replaced)
        // It can't know, and sends both again: one before, one after the journal has the first.
        new.dispatch(1, "Write", #"{"text":"1"}"#)
        finish()
        new.dispatch(2, "Write", #"{"text":"2"}"#)
        while !journal.pending.isEmpty { finish() }
        #expect(room.store.state.log == ["1", "2"])
        #expect(new.hear().compactMap { $0["acked"]?.int }.max() == 2)
        new.dispatch(3, "Write", #"{"text":"3"}"#)
        finish()
        #expect(room.store.state.log == ["1", "2", "3"])
        #expect(new.closeCode == nil)
    }

    @Test func `what was acked before it was sent again may be left out`() {
        let old = Wire.greeted(room, on: loop)
        old.dispatch(1, "Write", #"{"text":"1"}"#)
        let new = Wire.greeted(room, on: loop)
        finish()
        #expect(new.hear().map { $0["acked"] } == [1])
        new.dispatch(2, "Write", #"{"text":"2"}"#)
        finish()
        #expect(room.store.state.log == ["1", "2"])
        #expect(new.closeCode == nil)
    }

    @Test func `a failed append of an older connection's is nothing to the new one`() {
        let old = Wire.greeted(room, on: loop)
        old.dispatch(1, "Write", #"{"text":"1"}"#)
        let new = Wire.greeted(room, on: loop)
        finish(false)
        // It sends 1 by itself; a request to send it again would make it come twice.
        #expect(new.hear().isEmpty)
        new.dispatch(1, "Write", #"{"text":"1"}"#)
        finish()
        #expect(new.hear().map { $0["acked"] } == [1])
        #expect(room.store.state.log == ["1"])
    }

    @Test func `a failed append of what is settled meanwhile asks for the rest only`() {
        let old = Wire.greeted(room, on: loop)
        old.dispatch(1, "Write", #"{"text":"1"}"#)
        let new = Wire.greeted(room, on: loop)
        new.say(
            "[\(dispatchFrame(1, "Write", #"{"text":"1"}"#)),"
                + "\(dispatchFrame(2, "Write", #"{"text":"2"}"#))]")
        finish()
        #expect(new.hear().map { $0["acked"] } == [1])
        finish(false)
        #expect(new.hear().map { $0["seq"] } == [2])
        new.dispatch(2, "Write", #"{"text":"2"}"#)
        finish()
        #expect(room.store.state.log == ["1", "2"])
        #expect(new.hear().map { $0["acked"] } == [2])
    }

    @Test func `an entry that is delivered twice is reduced once`() {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        let entry = journal.pending[0].batch[0]
        finish()
        #expect(room.log.apply(entry, at: 2) == .duplicate)
        #expect(room.store.state.tea == 1)
        #expect(room.position.version == 1)
    }

    @Test func `a rejection counts when the journal has it, not before`() {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Nope")
        #expect(ada.hear().isEmpty)
        #expect(journal.pending[0].batch[0].rejection?.code == .unknownAction)
        finish(false)
        // Not even the code is said: the next try may end otherwise.
        #expect(ada.hear().map { $0["retryable"] } == [true])
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        finish()
        #expect(ada.hear().map { $0["acked"] } == [1])
        #expect(room.store.state.tea == 1)
    }

    @Test(arguments: [true, false])
    func `a batch of unknown outcome is appended until it is known to be there`(_ isKept: Bool) {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Write", #"{"text":"1"}"#)
        journal.finish(.unknown(kept: isKept))
        ada.dispatch(2, "Write", #"{"text":"2"}"#)
        // Nothing overtakes it,
        #expect(journal.pending.isEmpty)
        loop.advance(by: 1)
        // and "unavailable" doesn't mean any more that it isn't there.
        finish(false)
        #expect(ada.hear().isEmpty)
        loop.advance(by: 1)
        finish()
        finish()
        #expect(ada.hear().map { $0["acked"] } == [1, 2])
        #expect(room.store.state.log == ["1", "2"])
        #expect(journal.entries.map(\.seq) == (isKept ? [1, 1, 2] : [1, 2]))
        expectSameReplayed()
    }

    @Test func `what may be in the journal isn't refused, though the disk is nearly full by then`()
    {
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Write", #"{"text":"1"}"#)
        journal.finish(.unknown(kept: true))
        journal.freeBytes = SyncLimits().diskReserve - 1
        for _ in 0..<3 { loop.advance(by: 1) }
        #expect(ada.hear().isEmpty && journal.pending.isEmpty)
        journal.freeBytes = nil
        loop.advance(by: 1)
        finish()
        #expect(ada.hear().map { $0["acked"] } == [1])
        #expect(room.store.state.log == ["1"])
        expectSameReplayed()
    }

    @Test func `of a batch, what the journal can't keep is rejected and the rest is reduced`() {
        let ada = Wire.greeted(room, on: loop)
        ada.say(
            "[" + (1...3).map { dispatchFrame($0, "AddTea", #"{"by":1}"#) }.joined(separator: ",")
                + "]")
        journal.finish(.unfit(place: 1))
        journal.finish(.unknown(kept: true))
        loop.advance(by: 1)
        finish()
        let heard = ada.hear()
        #expect(heard.ops == ["reject", "transaction"])
        #expect(heard[0]["seq"] == 2)
        #expect(heard[0].code == "invalid")
        #expect(heard[1] == parsed(#"{"op":"transaction","v":2,"count":0,"acked":3}"#))
        // What it was is kept, and counted.
        let tombstone = journal.entries.first { $0.seq == 2 }
        #expect(tombstone?.rejection?.code == .invalid)
        #expect(tombstone?.refused == RefusedAction(type: "AddTea", payload: #"{"by":1}"#))
        let outcome = ActionOutcome(type: "AddTea", outcome: "invalid")
        #expect(loop.rooms.flushes.counts.actions[outcome] == 1)
        expectSameReplayed()
    }

    @Test func `an outcome finds the connection that holds the client id when it is known`() {
        let first = Wire.greeted(room, on: loop)
        first.dispatch(1, "Nope")
        first.dispatch(2, "Wait")
        let second = Wire.greeted(room, on: loop)
        finish()
        #expect(
            second.hear().map { $0["code"]?.string ?? $0.op } == ["unknown-action", "transaction"])
        second.session.disconnected()
        let third = Wire.greeted(room, on: loop)
        finish()
        #expect(third.hear() == [parsed(#"{"op":"transaction","v":1,"count":0,"acked":2}"#)])
        #expect(first.hear().map(\.code) == ["replaced"])
    }

    @Test func `what a connection left under way keeps its client id from other identities`() {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        let ada = Wire.greeted(room, on: loop, rest: #","token":"ada""#)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.session.disconnected()
        let bob = Wire(to: room, on: loop)
        bob.say(hello(.ada, #","token":"bob""#))
        #expect(bob.closeCode == .forbidden)
        finish()
        #expect(room.record(of: .ada)?.identity == "ada")
        #expect(room.orphans.isEmpty)
        // What was never kept binds nobody.
        let eve = Wire.greeted(room, on: loop, client: .bob, rest: #","token":"eve""#)
        eve.dispatch(1, "AddTea", #"{"by":1}"#)
        eve.session.disconnected()
        #expect(room.orphans.mapValues(\.identity) == [.bob: "eve"])
        finish(false)
        #expect(room.orphans.isEmpty)
    }

    @Test func `of who left and whose dispatches the journal refused nothing is kept`() {
        let ada = Wire.greeted(room, on: loop, from: "192.0.2.1")
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.session.disconnected()
        #expect(room.forgetting.networks.count == 1)
        finish(false)
        #expect(room.forgetting.networks.count == 0)
    }

    @Test func `a check that says not now, while earlier ones are under way, waits for those`() {
        let isOpen = Tally()
        let room = loop.open(
            Shop.room.authorize(Wait.self) { _, _ in
                if isOpen.count == 0 { throw Rejection(.unavailable, "No.", retryAfter: nil) }
            }, journal: journal)
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "Write", #"{"text":"1"}"#)
        ada.dispatch(2, "Wait")
        ada.dispatch(3, "Write", #"{"text":"3"}"#)
        #expect(ada.hear().map { $0["seq"] } == [2])
        // The append fails behind it: all begins with the earlier one.
        finish(false)
        #expect(ada.hear().map { $0["seq"] } == [1])
        isOpen.increase()
        ada.dispatch(2, "Wait")
        #expect(journal.pending.isEmpty)
        ada.dispatch(1, "Write", #"{"text":"1"}"#)
        ada.dispatch(2, "Wait")
        ada.dispatch(3, "Write", #"{"text":"3"}"#)
        finish()
        finish()
        #expect(ada.hear().map { $0["acked"] } == [1, 3])
        #expect(room.store.state.log == ["1", "3"])
    }

    private func finish(_ works: Bool = true) {
        journal.finish(works)
        loop.endTurn()
    }

    private func expectSameReplayed() {
        let again = loop.open(Shop.room, journal: journal, seed: 2)
        #expect(again.store.state == room.store.state)
        #expect(again.position == room.position)
        #expect(again.ledger.contents == room.ledger.contents)
    }
}
