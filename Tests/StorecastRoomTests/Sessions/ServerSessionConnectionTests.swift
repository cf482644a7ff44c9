import StorecastWire
import Testing

@testable import StorecastRoom

/// Which of a client's connections stays, and what the other one hears.
struct ServerSessionConnectionTests {
    let loop = TestLoop()

    private func numbered(_ number: Int) -> String { hello(.ada, #","connection":\#(number)"#) }

    @Test func `a connection made earlier and accepted later doesn't replace the live one`() {
        let room = loop.open(Shop.room)
        let live = Wire(to: room, on: loop)
        live.say(numbered(6))
        #expect(live.hear().ops == ["welcome"])
        // Its request was held up, and its loop was told of it late.
        let stale = Wire(to: room, on: loop)
        stale.say(numbered(5))
        #expect(stale.hear().map(\.code) == ["replaced"])
        #expect(stale.closeCode == .replaced)
        #expect(live.closeCode == nil)
        #expect(live.hear().isEmpty)
    }

    @Test func `a later connection replaces the earlier one, even when accepted before it`() {
        let room = loop.open(Shop.room)
        let later = Wire(to: room, on: loop)
        let earlier = Wire.greeted(room, on: loop, rest: #","connection":1"#)
        later.say(numbered(2))
        #expect(later.hear().ops == ["welcome"])
        #expect(earlier.closeCode == .replaced)
    }

    @Test(arguments: [("", ""), (#","connection":7"#, ""), ("", #","connection":1"#)])
    func `where one of two has no number, the order of arrival says which is later`(
        first: String, second: String
    ) {
        let room = loop.open(Shop.room)
        let old = Wire.greeted(room, on: loop, rest: first)
        let new = Wire.greeted(room, on: loop, rest: second)
        // It may come again if it has a number, and the other one none: that may have been held up.
        #expect(old.closeCode == (!first.isEmpty && second.isEmpty ? .goingAway : .replaced))
        #expect(new.closeCode == nil)
    }

    @Test func `who has numbers stays, whenever one without is heard of`() {
        let room = loop.open(Shop.room)
        let live = Wire.greeted(room, on: loop, rest: #","connection":1"#)
        let stale = Wire.greeted(room, on: loop)
        let bye = live.hear().last
        #expect(bye?["code"] == "going-away" && bye?["reconnect"] == true)
        let again = Wire.greeted(room, on: loop, rest: #","connection":2"#)
        #expect(stale.closeCode == .replaced && again.closeCode == nil)
    }

    @Test func `goodbye comes behind what was pulled before`() {
        var limits = SyncLimits()
        limits.controlBytes = 1
        let room = loop.open(Shop.room, limits: limits)
        let wire = Wire.greeted(room, on: loop)
        wire.isWritable = false
        // The first answer stops the reading; the rest waits until it is written.
        wire.say(#"[{"op":"ping"},{"op":"hello","proto":1,"client":"ada-0123456789abcdef"}]"#)
        wire.resume()
        #expect(wire.hear().ops == ["pong", "bye"])
    }

    @Test func `goodbye comes to who doesn't read, behind the answers that wait`() {
        let room = loop.open(Shop.room)
        let wire = Wire.greeted(room, on: loop)
        wire.isWritable = false
        wire.say(#"{"op":"ping"}"#)
        wire.session.close(.goingAway, "The server stops.")
        #expect(wire.hear().ops == ["pong", "bye"])
    }
}
