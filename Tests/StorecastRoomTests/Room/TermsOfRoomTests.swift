@testable import StorecastRoom
import Testing

/// A room whose log has terms: what clients are told who have seen others.
struct TermsOfRoomTests {
    let loop = TestLoop()
    let journal = TestJournal(isImmediate: true)
    let room: Room<Shop>

    /// In the term "second", at version 2.
    init() {
        journal.term = "first"
        let before = loop.open(Shop.room, journal: journal)
        let ada = Wire.greeted(before, on: loop)
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.dispatch(2, "AddTea", #"{"by":1}"#)
        journal.term = "second"
        let room = loop.open(Shop.room, journal: journal, seed: 2)
        loop.maker = { _ in room }
        self.room = room
    }

    private func come(_ seen: String) -> Wire {
        let wire = Wire(to: room, on: loop)
        wire.say(hello(.bob, #","seen":\#(seen)"#))
        return wire
    }

    @Test func `a new client is told the epoch and the term`() {
        let wire = Wire(to: room, on: loop)
        wire.say(hello())
        let welcome = wire.hear()[0]
        #expect(welcome["epoch"] == "test-epoch" && welcome["term"] == "second")
    }

    @Test func `who has seen the term before goes on, if it had come as far as that`() {
        // The journal of this test tells no terms that are past.
        room.log.begin("third")
        #expect(
            come(#"{"epoch":"test-epoch","v":2},"term":"second""#).hear()[0]["epoch"]
                == "test-epoch")
        let lost = come(#"{"epoch":"test-epoch","v":3},"term":"second""#).hear()[0]
        let name = lost["epoch"]?.string ?? ""
        #expect(name.hasPrefix("test-epoch/") && name.utf8.count == 11 + 32)
        #expect(lost["term"] == "third" && lost["v"] == 2)
        // Another server might have the room, and what was seen.
        #expect(journal.timesAsked == 1)
    }

    @Test func `a client keeps the name that it was given for the epoch`() {
        let name = "test-epoch/0123456789abcdef0123456789abcdef"
        let wire = come(#"{"epoch":"\#(name)","v":2},"term":"second""#)
        #expect(wire.hear()[0]["epoch"]?.string == name)
        wire.say(#"{"op":"subscribe","ref":1,"select":"tea"}"#)
        let tag = wire.hear().compactMap { $0["tag"]?.string }.first ?? ""
        let again = come(#"{"epoch":"\#(name)","v":2},"term":"second""#)
        again.say(
            #"{"op":"subscribe","ref":1,"select":"tea","at":{"epoch":"\#(name)","v":2,"tag":"\#(tag)"}}"#
        )
        #expect(again.hear().ops.contains("current"))
        // By its other name the client means what it had seen before.
        again.say(
            #"{"op":"subscribe","ref":2,"select":"log","at":{"epoch":"test-epoch","v":2,"tag":"\#(tag)"}}"#
        )
        #expect(again.hear().ops.contains("snapshot"))
        // What only looks like one isn't said back.
        for other in ["test-epoch/short", "test-epoch0123456789abcdef0123456789abcdef!"] {
            let wire = come(#"{"epoch":"\#(other)","v":2},"term":"second""#)
            #expect(wire.hear()[0]["epoch"] == "test-epoch")
        }
    }

    @Test func `a room whose log goes on in another term while it is read is another server's`() {
        journal.termRead = "second"
        #expect(loop.open(Shop.room, journal: journal, seed: 3).phase == .ready)
        journal.termRead = "third"
        let room = loop.open(Shop.room, journal: journal, seed: 4)
        #expect(
            room.phase == .failed(.replaced("Another server has taken it over meanwhile.")))
        loop.maker = { _ in room }
        let wire = Wire(to: room, on: loop)
        wire.say(hello())
        #expect(wire.closeCode == .goingAway)
    }

    @Test func `of a term that isn't known the log is asked, and then it is lost`() {
        let wire = come(#"{"epoch":"test-epoch","v":1},"term":"other""#)
        #expect(journal.timesAsked == 1)
        #expect(wire.hear()[0]["epoch"]?.string?.hasPrefix("test-epoch/") == true)
        #expect(room.phase == .ready)
    }

    @Test func `also while something is being written, as it always is in a busy room`() {
        journal.isImmediate = false
        Wire.greeted(room, on: loop).dispatch(3, "AddTea", #"{"by":1}"#)
        #expect(journal.pending.count == 1)
        let wire = come(#"{"epoch":"test-epoch","v":1},"term":"other""#)
        #expect(wire.hear().first?["epoch"]?.string?.hasPrefix("test-epoch/") == true)
    }

    @Test func `or the room is another server's, or nobody can tell`() {
        journal.isAlone = nil
        let waiting = come(#"{"epoch":"test-epoch","v":1},"term":"other""#)
        #expect(waiting.closeCode == nil && waiting.hear() == [])
        // Asked once a second, for all who have come.
        journal.isAlone = false
        let wire = come(#"{"epoch":"test-epoch","v":1},"term":"other""#)
        #expect(wire.closeCode == nil && journal.timesAsked == 1)
        loop.advance(by: 1)
        #expect(wire.closeCode == .behind && journal.timesAsked == 2)
        #expect(room.hasFailed)
    }

    @Test func `the beginning is that of every history`() {
        let wire = come(#"{"epoch":"test-epoch","v":0},"term":"other""#)
        #expect(wire.hear()[0]["epoch"] == "test-epoch" && journal.timesAsked == 0)
    }
}
