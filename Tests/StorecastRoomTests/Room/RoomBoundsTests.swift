import Testing

@testable import StorecastRoom

/// A room whose journal is slower than its clients.
struct RoomBoundsTests {
    let loop = TestLoop()
    let journal = TestJournal()
    let room: Room<Shop>

    init() {
        var limits = SyncLimits()
        limits.waitingBytes = 10_000
        room = loop.open(Shop.room, journal: journal, limits: limits)
    }

    /// A dispatch that counts as 1,256 bytes.
    private func large(_ seq: Int) -> String {
        let text = String(repeating: "x", count: 1000 - #"{"text":""}"#.utf8.count)
        return dispatchFrame(seq, "Write", #"{"text":"\#(text)"}"#)
    }

    @Test func `what waits for the journal is bounded, and the rest is asked for again`() {
        let ada = Wire.greeted(room, on: loop)
        for seq in 1...20 { ada.say(large(seq)) }
        // One in flight and six behind it.
        #expect(room.waitingBytes == 7 * 1256)
        let heard = ada.hear()
        #expect(heard.count == 1)
        #expect(heard[0]["seq"] == 8)
        #expect(heard[0].code == "busy")
        #expect(heard[0]["retryable"] == true)
        #expect(heard[0]["retryAfter"] == 1)
        journal.finish()
        loop.endTurn()
        journal.finish()
        loop.endTurn()
        #expect(room.waitingBytes == 0)
        for seq in 8...14 { ada.say(large(seq)) }
        while !journal.pending.isEmpty {
            journal.finish()
            loop.endTurn()
        }
        #expect(ada.hear().last?["acked"] == 14)
        #expect(room.store.state.log.count == 14)
    }

    @Test func `who leaves and comes back to send it again gets no more place`() {
        for _ in 0..<5 {
            let ada = Wire.greeted(room, on: loop)
            for seq in 1...4 { ada.say(large(seq)) }
            ada.session.disconnected()
        }
        #expect(room.waitingBytes == 7 * 1256)
    }

    @Test func `what the journal refuses gives its place back`() {
        let ada = Wire.greeted(room, on: loop)
        let bob = Wire.greeted(room, on: loop, client: .bob)
        for seq in 1...3 { ada.say(large(seq)) }
        bob.say(large(1))
        journal.finish(false)
        // Ada's are gone, also those of the next batch; Bob's is on its way.
        #expect(room.waitingBytes == 1256)
        loop.endTurn()
        journal.finish(false)
        #expect(room.waitingBytes == 0)
    }

    @Test func `one dispatch that is larger than the bound is taken when nothing else waits`() {
        var limits = SyncLimits()
        limits.waitingBytes = 100
        let room = loop.open(Shop.room, journal: journal, limits: limits)
        let ada = Wire.greeted(room, on: loop)
        ada.say(large(1), large(2))
        #expect(ada.hear().map { $0["seq"] } == [2])
        journal.finish()
        #expect(room.store.state.log.count == 1)
    }
}
