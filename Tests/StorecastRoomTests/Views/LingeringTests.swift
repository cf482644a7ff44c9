import Testing

@testable import StorecastRoom

/// Selection groups whose last subscriber has gone, and who comes back to them.
struct LingeringTests {
    let loop = TestLoop()
    let tally = Tally()

    private func open(
        _ limits: SyncLimits = SyncLimits(), journal: (any Journal)? = nil, seed: UInt64 = 1
    ) -> Room<Shop> {
        loop.open(
            Shop.room(counting: tally, from: Shop(log: Array(repeating: "tea", count: 50))),
            journal: journal ?? TestJournal(isImmediate: true), limits: limits, seed: seed)
    }

    /// Subscribes, hears all of it and leaves; returns the tag.
    @discardableResult
    private func visit(_ room: Room<Shop>, _ select: String, _ params: String = "{}") -> String {
        let wire = Wire.greeted(room, on: loop)
        defer { wire.session.disconnected() }
        wire.say(
            #"{"op":"subscribe","ref":1,"select":"\#(select)","params":\#(params)}"#)
        return wire.hear().first("subscribed")?["tag"]?.string ?? ""
    }

    /// What is said to one who comes back with the value of `version`.
    private func comeBack(
        to room: Room<Shop>, _ select: String, _ params: String = "{}", at version: Int,
        _ tag: String
    ) -> JSON? {
        let wire = Wire.greeted(room, on: loop)
        defer { wire.session.disconnected() }
        let at = #"{"epoch":"\#(room.position.epoch)","v":\#(version),"tag":"\#(tag)"}"#
        wire.say(
            #"{"op":"subscribe","ref":1,"select":"\#(select)","params":\#(params),"at":\#(at)}"#)
        return wire.hear().last
    }

    private func dispatch(_ action: any SyncAction, in room: Room<Shop>) {
        room.dispatch(action, DispatchOutcome())
        loop.endTurn()
    }

    @Test func `who comes back to a selection that didn't change is current`() {
        let room = open()
        let tag = visit(room, "log")
        dispatch(AddTea(by: 1), in: room)
        #expect(comeBack(to: room, "log", at: 0, tag) == parsed(#"{"op":"current","sub":1,"v":0}"#))
    }

    @Test func `a value that was another meanwhile is told as one of now`() {
        let room = open()
        visit(room, "tea")
        let wire = Wire.greeted(room, on: loop, client: .bob)
        wire.say(#"{"op":"subscribe","ref":1,"select":"coffee"}"#)
        dispatch(AddTea(by: 1), in: room)
        dispatch(AddCoffee(by: 1), in: room)
        dispatch(AddTea(by: -1), in: room)
        _ = wire.hear()
        // There is coffee of version 2, where there was one tea: so there can't be no tea of
        // version 0.
        wire.say(#"{"op":"subscribe","ref":2,"select":"tea"}"#)
        let answers = wire.hear()
        #expect(answers.ops == ["subscribed", "transaction", "snapshot"])
        #expect(answers[1] == parsed(#"{"op":"transaction","v":3,"count":1}"#))
        #expect(answers[2].v == 0)
    }

    @Test func `who comes back is told by one exact patch what changed while nobody looked`() {
        let room = open()
        let tag = visit(room, "log")
        for text in ["one", "two", "three"] { dispatch(Write(text: text), in: room) }
        #expect(
            comeBack(to: room, "log", at: 0, tag)
                == parsed(
                    #"""
                    {"op":"patch","sub":1,"from":0,"v":3,"ops":[
                    {"op":"add","path":"/50","value":"one"},
                    {"op":"add","path":"/51","value":"two"},
                    {"op":"add","path":"/52","value":"three"}]}
                    """#))
        // And once more, from where that patch led to.
        dispatch(Write(text: "four"), in: room)
        #expect(comeBack(to: room, "log", at: 3, tag)?["from"] == 3)
    }

    @Test func `patches from before the group was left are still there`() {
        let room = open()
        let keeper = Wire.greeted(room, on: loop, client: .bob)
        keeper.say(#"{"op":"subscribe","ref":1,"select":"log"}"#)
        let tag = keeper.hear().first("subscribed")?["tag"]?.string ?? ""
        dispatch(Write(text: "one"), in: room)
        dispatch(AddTea(by: 1), in: room)
        keeper.session.disconnected()
        dispatch(Write(text: "three"), in: room)
        #expect(comeBack(to: room, "log", at: 0, tag)?["ops"]?.array?.count == 2)
        #expect(comeBack(to: room, "log", at: 2, tag)?["from"] == 1)
    }

    @Test func `a selection that nobody looks at isn't evaluated`() {
        let room = open()
        visit(room, "tea")
        #expect(tally.count == 1)
        for _ in 0..<10 { dispatch(AddTea(by: 1), in: room) }
        #expect(tally.count == 1)
    }

    @Test func `a group is forgotten between one and two linger times after it was left`() {
        let room = open()
        visit(room, "log")
        loop.advance(by: 29)
        visit(room, "coffee")
        loop.advance(by: 30)
        #expect(room.views.lingering.count == 2)
        loop.advance(by: 1)
        #expect(room.views.lingering.isEmpty)
        // Nothing is left to be woken for.
        #expect(loop.timerCount == 0)
    }

    @Test func `coming and going, however often, takes one timer`() {
        let room = open()
        for _ in 0..<100 { visit(room, "log") }
        #expect(loop.timerCount == 1)
        loop.advance(by: 30)
        #expect(loop.timerCount == 1)
    }

    @Test func `of too many groups the one left first is forgotten first`() {
        var limits = SyncLimits()
        limits.lingeringGroups = 2
        let room = open(limits)
        let tags = [0, 1, 0, 2].map { visit(room, "line", "\($0)") }
        // 0 was visited again after 1 was.
        #expect(comeBack(to: room, "line", "1", at: 0, tags[1])?["sub"] == 4)
        #expect(comeBack(to: room, "line", "2", at: 0, tags[3])?["sub"] == 3)
    }

    @Test func `groups that take too many bytes are forgotten too`() {
        var limits = SyncLimits()
        // The log is 50 times "tea", with quotes and commas: 301 bytes.
        limits.lingeringBytes = 303
        let room = open(limits)
        visit(room, "coffee")
        visit(room, "log")
        #expect(room.views.lingering.bytes == 302)
        visit(room, "line", "0")
        #expect(room.views.lingering.bytes == 5)
        limits.lingeringBytes = 300
        let small = open(limits)
        visit(small, "log")
        #expect(small.views.lingering.isEmpty)
        #expect(small.views.lingering.bytes == 0)
    }

    @Test func `after a restart whoever holds the value of the room's version is current`() {
        let journal = TestJournal(isImmediate: true)
        let old = open(journal: journal)
        let tag = visit(old, "log")
        dispatch(Write(text: "one"), in: old)
        dispatch(AddTea(by: 1), in: old)
        let new = open(journal: journal, seed: 2)
        #expect(comeBack(to: new, "log", at: 2, tag)?.op == "current")
        // Nobody knows what the value was before the restart.
        #expect(comeBack(to: new, "log", at: 1, tag)?.op == "snapshot")
        dispatch(Write(text: "three"), in: new)
        #expect(comeBack(to: new, "log", at: 2, tag)?["from"] == 2)
    }

    @Test func `a group whose value couldn't be encoded doesn't come back`() {
        let room = loop.open(
            RoomDefinition(
                state: Shop(), actions: [AddTea.self], selections: [Ratio.selection],
                reducer: Shop.reduce), journal: TestJournal(isImmediate: true))
        let tag = visit(room, "ratio")
        dispatch(AddTea(by: 13), in: room)
        #expect(comeBack(to: room, "ratio", at: 0, tag)?.code == "internal")
        let wire = Wire.greeted(room, on: loop)
        dispatch(AddTea(by: 1), in: room)
        wire.say(#"{"op":"subscribe","ref":1,"select":"ratio"}"#)
        dispatch(AddTea(by: -1), in: room)
        #expect(wire.hear().ops == ["subscribed", "snapshot", "lapse"])
        #expect(comeBack(to: room, "ratio", at: 2, tag)?.code == "internal")
        #expect(room.views.lingering.isEmpty)
    }
}
