import StorecastSync
import StorecastTables
import StorecastWire
import Testing

@testable import StorecastRoom

/// How much of what clients send is taken in one turn, and in which order the rest is.
struct TurnWorkTests {
    /// Each of the messages below has about 1,300 bytes and five frames.
    private var limits: SyncLimits {
        var limits = SyncLimits()
        limits.turnWork = 20_000
        limits.turnWorkPerConnection = 5000
        return limits
    }

    private func loop(_ limits: SyncLimits) -> (TestLoop, any AnyRoom) {
        let loop = TestLoop(limits: limits)
        return (loop, loop.open(Shop.room, limits: limits))
    }

    private func pings(_ count: Int) -> [UInt8] {
        let ping = #"{"op":"ping"}"# + String(repeating: " ", count: 256)
        return Array(("[" + Array(repeating: ping, count: count).joined(separator: ",") + "]").utf8)
    }

    @Test func `a connection's messages are taken as far as a turn goes`() {
        let (loop, room) = loop(limits)
        let wire = Wire.greeted(room, on: loop)
        wire.push(pings(300))
        // What doesn't fit waits, and nothing more is read.
        #expect(!wire.isReading)
        let again = loop.turnsAgain
        loop.endTurn()
        let first = wire.hear().count
        #expect(first > 0 && first < 300)
        #expect(loop.turnsAgain == again + 1)
        var turns = 0
        var heard = first
        while !wire.isReading, turns < 50 {
            loop.endTurn()
            turns += 1
            heard += wire.hear().count
        }
        #expect(turns > 2)
        #expect(heard == 300)
        let quiet = loop.turnsAgain
        loop.endTurn()
        #expect(loop.turnsAgain == quiet)
    }

    @Test func `however little a turn has, some of it is for what is much work`() {
        let flushes = FlushQueue(turnWork: 1, pendingBytes: 1)
        flushes.noteLight()
        flushes.beginWaiting()
        var (isShared, workLeft) = (false, 0)
        flushes.doHeavy { (isShared, workLeft) = (flushes.isShared, flushes.workLeft) }
        #expect(isShared)
        #expect(workLeft == 1)
    }

    @Test func `while others wait, a connection has no more of a turn than its share`() {
        let (loop, room) = loop(limits)
        let crowd = (0..<4).map { Wire.greeted(room, on: loop, client: "\($0)-0123456789abcdef") }
        for _ in 1...20 { for wire in crowd { wire.push(pings(5)) } }
        loop.endTurn()
        _ = crowd.map { $0.hear() }
        for _ in 1...2 {
            loop.endTurn()
            // A ping makes 256 units of work, and a message as many as it has bytes.
            for wire in crowd { #expect((8...10).contains(wire.hear().count)) }
        }
    }

    @Test func `pings, pongs and fragments count as messages`() {
        var limits = SyncLimits()
        limits.connectionRate = SyncRate(messages: 10, bytes: 1000, actions: 10, burst: 2)
        let (loop, room) = loop(limits)
        let wire = Wire.greeted(room, on: loop)
        loop.advance(by: 2)
        wire.session.receive(oddments: 20)
        #expect(wire.isReading)
        wire.session.receive(oddments: 5)
        #expect(!wire.isReading)
        loop.advance(by: 0.4)
        #expect(!wire.isReading)
        loop.advance(by: 0.2)
        #expect(wire.isReading)
    }

    /// Only this kind of sender has a bound.
    private func bounds(_ rate: SyncRate, of sender: String) -> SyncLimits {
        var limits = SyncLimits()
        limits.setRates(.unlimited)
        switch sender {
        case "connection": limits.connectionRate = rate
        case "identity": limits.identityRate = rate
        default: limits.addressRate = rate
        }
        return limits
    }

    @Test(arguments: ["connection", "identity", "address"])
    func `new rates hold for who is there`(_ sender: String) {
        let limits = bounds(.unlimited, of: sender)
        let loop = TestLoop(limits: limits)
        loop.maker = { [unowned loop] in loop.open(Shop.room, at: $0, limits: limits) }
        loop.authenticator = { _ in .success(Identity("ada")) }
        let wire = Wire(1, to: "/a", on: loop, from: "192.0.2.1")
        wire.say(hello("client-0123456789abcdef"))
        func reads(_ count: Int) -> Bool {
            loop.advance(by: 10)
            wire.session.receive(oddments: count)
            return wire.isReading
        }
        #expect(reads(25))
        var rate = SyncRate(messages: 10, bytes: 1000, actions: 10, burst: 2)
        loop.rooms.set(bounds(rate, of: sender))
        #expect(!reads(25))
        rate.burst = 3
        loop.rooms.set(bounds(rate, of: sender))
        #expect(reads(25))
    }

    @Test(
        arguments: ["identity", "address"],
        [
            SyncRate(messages: 0.5, bytes: .infinity, actions: .infinity),
            SyncRate(messages: .infinity, bytes: 500, actions: .infinity),
            SyncRate(messages: .infinity, bytes: .infinity, actions: 0.5),
        ])
    func `who comes anew still has less to send by what it sent before`(
        _ sender: String, _ rate: SyncRate
    ) {
        let limits = bounds(rate, of: sender)
        let loop = TestLoop(limits: limits)
        loop.maker = { [unowned loop] in loop.open(Shop.room, at: $0, limits: limits) }
        loop.authenticator = { _ in .success(Identity("ada")) }
        let text = String(repeating: "x", count: 1000)
        /// Whether a connection may send three actions, more than half of what may come at once.
        func sends(_ id: UInt64) -> Bool {
            let wire = Wire(id, to: "/a", on: loop, from: "192.0.2.1")
            wire.say(hello("client-\(id)-0123456789abcdef"))
            for seq in 1...3 { wire.dispatch(seq, "Write", #"{"text":"\#(text)"}"#) }
            defer {
                // The work that it made is forgiven by then.
                loop.advance(by: 1)
                loop.rooms.end(id)
            }
            return wire.isReading && wire.hear().first("reject") == nil
        }
        #expect(sends(1))
        #expect(!sends(2))
        loop.advance(by: 30)
        #expect(sends(3))
    }

    @Test(arguments: ["connection", "identity", "address"])
    func `nothing is read of a sender who has sent more than it may`(_ sender: String) {
        let limits = bounds(
            SyncRate(messages: 10, bytes: 1000, actions: 10, burst: 2), of: sender)
        let loop = TestLoop(limits: limits)
        loop.maker = { [unowned loop] in loop.open(Shop.room, at: $0, limits: limits) }
        loop.authenticator = { .success(Identity($0 ?? "")) }
        /// Whether something is still read of both after each of them has sent as many messages.
        func reads(_ count: Int, _ ids: [UInt64], _ tokens: [String], _ networks: [String]) -> Bool
        {
            let wires = (0..<2).map { index in
                let wire = Wire(ids[index], to: "/a", on: loop, from: networks[index])
                let rest = #","token":"\#(tokens[index])""#
                wire.say(hello("client-\(ids[index])-0123456789abcdef", rest))
                return wire
            }
            // What they have sent to come here is forgotten.
            loop.advance(by: 10)
            for wire in wires { wire.session.receive(oddments: count) }
            defer { loop.advance(by: 10) }
            return wires.allSatisfy(\.isReading)
        }
        #expect(reads(10, [1, 2], ["ada", "ada"], ["192.0.2.1", "192.0.2.1"]))
        #expect(
            reads(11, [3, 4], ["bob", "bob"], ["192.0.2.1", "192.0.2.2"]) == (sender != "identity"))
        #expect(
            reads(11, [5, 6], ["ada", "bob"], ["192.0.2.3", "192.0.2.3"]) == (sender != "address"))
        #expect(reads(20, [7, 8], ["cy", "dee"], ["192.0.2.4", "192.0.2.5"]))
        #expect(!reads(21, [9, 10], ["eve", "fay"], ["192.0.2.6", "192.0.2.7"]))
    }

    @Test func `who dispatches too much is to wait, and ended if it doesn't time after time`() {
        var limits = SyncLimits()
        limits.connectionRate = .unlimited
        limits.connectionRate.actions = 1
        limits.connectionRate.burst = 1
        limits.overruns = 2
        let (loop, room) = loop(limits)
        let wire = Wire.greeted(room, on: loop)
        /// Why the dispatch was refused.
        func refusal(_ seq: Int) -> String? {
            wire.dispatch(seq, "AddTea", #"{"by":1}"#)
            return wire.hear().first("reject")?.code
        }
        // Far more often than that, but never twice in a row.
        for seq in 1...5 {
            #expect(refusal(seq) == nil)
            #expect(refusal(seq + 1) == "busy")
            loop.advance(by: 1)
        }
        #expect(refusal(6) == nil)
        #expect([refusal(7), refusal(7)] == ["busy", "busy"])
        #expect(wire.closeCode == nil)
        #expect(refusal(7) == nil)
        #expect(wire.closeCode == .full)
    }

    @Test func `who has made much work waits behind those who haven't`() {
        let (loop, room) = loop(limits)
        let busy = Wire.greeted(room, on: loop, client: "busy-0123456789abcdef")
        let calm = Wire.greeted(room, on: loop, client: "calm-0123456789abcdef")
        busy.push(pings(400))
        for _ in 1...5 {
            calm.push(pings(1))
            loop.endTurn()
            #expect(calm.hear().count == 1)
            #expect(!busy.isReading)
        }
    }

    @Test func `who has made little work doesn't wait for those who have made much`() {
        let (loop, room) = loop(limits)
        let calm = Wire.greeted(room, on: loop, client: "calm-0123456789abcdef")
        // Until it has shown that it makes little.
        loop.advance(by: 1)
        let crowd = (0..<8).map { Wire.greeted(room, on: loop, client: "\($0)-0123456789abcdef") }
        for wire in crowd { wire.push(pings(200)) }
        // Four of them have their share in a turn.
        for _ in 1...10 {
            loop.advance(by: 0.1)
            calm.push(pings(1))
            loop.endTurn()
            #expect(calm.hear().count == 1)
        }
        #expect(crowd.allSatisfy { !$0.isReading })
    }

    @Test func `while somebody makes little work, the pause behind a slice follows its square`() {
        let (loop, room) = loop(limits)
        let calm = Wire.greeted(room, on: loop, client: "calm-0123456789abcdef")
        // Until it has shown that it makes little.
        loop.advance(by: 2)
        loop.endTurn()
        let busy = Wire.greeted(room, on: loop, client: "busy-0123456789abcdef")
        calm.push(pings(1))
        loop.endTurn()
        _ = calm.hear()
        busy.push(pings(400))
        // Between the looks at the clock at a slice's ends: so it takes 10 ms at least.
        loop.tick = 0.01
        loop.endTurn()
        loop.tick = 0
        let slice = busy.hear().count
        #expect((1...20).contains(slice))
        var pause = 0
        while busy.hear().isEmpty, pause < 1000 {
            calm.push(pings(1))
            loop.advance(by: 0.05)
            loop.endTurn()
            pause += 1
        }
        // 40,000 · 0.01² s, less a second that may be left out; 5 seconds at most.
        #expect((60...100).contains(pause))
    }

    @Test func `who makes much work now and then doesn't wait for that`() {
        let (loop, room) = loop(limits)
        let calm = Wire.greeted(room, on: loop, client: "calm-0123456789abcdef")
        let busy = Wire.greeted(room, on: loop, client: "busy-0123456789abcdef")
        loop.advance(by: 2)
        for _ in 1...3 {
            calm.push(pings(1))
            loop.endTurn()
            busy.push(pings(100))
            loop.tick = 0.0001
            for _ in 1...20 { loop.endTurn() }
            loop.tick = 0
            #expect(busy.hear().count == 100 && calm.hear().count == 1)
            loop.advance(by: 2)
        }
    }

    @Test func `who makes little work is answered before others have their slice`() {
        let (loop, room) = loop(limits)
        let calm = Wire.greeted(room, on: loop, client: "calm-0123456789abcdef")
        // Until it has shown that it makes little.
        loop.advance(by: 2)
        loop.endTurn()
        let busy = Wire.greeted(room, on: loop, client: "busy-0123456789abcdef")
        calm.push(pings(1))
        loop.endTurn()
        busy.push(pings(400))
        _ = (calm.hear(), busy.hear())
        calm.push(pings(1))
        #expect(busy.hear().isEmpty)
        loop.endTurn()
        #expect(calm.hear().count == 1)
        // Alone, it has all of a turn again, once nobody was heard for a while.
        _ = busy.hear()
        loop.advance(by: 0.2)
        loop.endTurn()
        let alone = busy.hear().count
        #expect(alone > 20)
    }

    @Test func `who acts is answered before many are told of it, a few at a time`() {
        let loop = TestLoop()
        let room = loop.open(Shop.room, journal: TestJournal(isImmediate: true))
        let crowd = (0..<40).map { Wire.greeted(room, on: loop, client: "\($0)-0123456789abcdef") }
        for wire in crowd {
            wire.push(Array(#"{"op":"subscribe","ref":1,"select":"tea"}"#.utf8))
        }
        for _ in 1...50 { loop.endTurn() }
        for wire in crowd { _ = wire.hear() }
        let last = crowd[39]
        last.push(Array(dispatchFrame(1, "AddTea", #"{"by":1}"#).utf8))
        // Each look at the clock takes longer than there is time for.
        loop.tick = 0.001
        var told: [Int] = []
        while told.last != 40, told.count < 10 {
            let again = loop.turnsAgain
            loop.endTurn()
            told.append(crowd.count { !$0.messages.isEmpty })
            #expect(!last.messages.isEmpty)
            #expect(told.last == 40 || loop.turnsAgain == again + 1)
        }
        // Sixteen at a time, and who acted is the first of them.
        #expect(told == [16, 32, 40])
    }

    @Test func `what waits for its time is done then, though nobody else begins a turn`() {
        let (loop, room) = loop(limits)
        let calm = Wire.greeted(room, on: loop, client: "calm-0123456789abcdef")
        let busy = Wire.greeted(room, on: loop, client: "busy-0123456789abcdef")
        var waits = 0
        for _ in 1...4 {
            busy.push(pings(300))
            calm.push(pings(1))
            var asked = loop.turnsAgain
            // Longer than a slice may be: what is left has to wait.
            loop.tick = 0.01
            loop.endTurn()
            loop.tick = 0
            if loop.turnsAgain == asked { waits += 1 }
            for _ in 1...500 {
                loop.advance(by: 0.01)
                // As an event loop does it: a turn if one was asked for.
                guard loop.turnsAgain > asked else { continue }
                asked = loop.turnsAgain
                loop.endTurn()
            }
            #expect(calm.hear().count == 1)
            #expect(busy.hear().count == 300)
        }
        #expect(waits > 1, "A timer began a turn, and the next one did too.")
    }

    @Test func `a pause is no longer than five seconds, and steps that hold others up count too`() {
        var time = HeavyTime()
        // Nothing is due to who comes after a long time without a slice.
        time.charge(1, at: 5)
        #expect(time.next < 5)
        time.noteSlice(at: 10)
        time.charge(0.0005, at: 10)
        // A second's pauses are left out.
        #expect(time.next.isNearly(9.01))
        time.charge(0.005, at: 10)
        #expect(time.next.isNearly(10.01))
        // What comes in the pause makes it longer.
        time.charge(0.001, at: 10.001)
        #expect(time.next.isNearly(10.05))
        time.charge(3, at: 11)
        #expect(time.next.isNearly(15))
        time.charge(3, at: 14)
        #expect(time.next.isNearly(15))
        time.isHeard = true
        time.noteTurn(at: 11)
        #expect(time.isShared(at: 11.09))
        #expect(!time.isShared(at: 11.11))
    }

    @Test func `while much waits for the journal, those who have made much work wait before it`() {
        let loop = TestLoop()
        let journal = TestJournal()
        let room = loop.open(Shop.room, journal: journal)
        let calm = Wire.greeted(room, on: loop, client: "calm-0123456789abcdef")
        loop.advance(by: 1)
        let busy = Wire.greeted(room, on: loop, client: "busy-0123456789abcdef")
        func dispatches(_ count: Int) -> [UInt8] {
            let text = String(repeating: "x", count: 1000)
            let frames = (1...count).map { dispatchFrame($0, "Write", #"{"text":"\#(text)"}"#) }
            return Array(("[" + frames.joined(separator: ",") + "]").utf8)
        }
        busy.push(dispatches(100))
        for _ in 1...20 { loop.endTurn() }
        #expect(room.isCongested)
        let again = loop.turnsAgain
        calm.push(dispatches(1))
        loop.endTurn()
        // Nor is there a turn as long as there is nothing to do.
        #expect(loop.turnsAgain == again)
        journal.finish()
        loop.endTurn()
        let waiting = journal.pending.flatMap(\.batch)
        #expect(waiting.contains { $0.client.hasPrefix("calm") })
        #expect(waiting.count < 50)
        for _ in 1...50 {
            journal.finish()
            loop.endTurn()
        }
        #expect(room.position.version == 101)
        #expect(!room.isCongested)
    }

    @Test func `connections that wait take turns`() {
        let (loop, room) = loop(limits)
        let wires = (0..<8).map { Wire.greeted(room, on: loop, client: "\($0)-0123456789abcdef") }
        for _ in 1...12 { for wire in wires { wire.push(pings(5)) } }
        var heard = Array(repeating: 0, count: wires.count)
        for _ in 1...12 {
            loop.endTurn()
            for (index, wire) in wires.enumerated() { heard[index] += wire.hear().count }
            // Nobody is ahead of another by more than two shares.
            let most = heard.max() ?? 0
            let least = heard.min() ?? 0
            #expect(most - least <= 40)
        }
        for _ in 1...60 { loop.endTurn() }
        for (index, wire) in wires.enumerated() { heard[index] += wire.hear().count }
        #expect(heard == Array(repeating: 60, count: wires.count))
    }

    @Test func `what was held before welcome is taken in shares too`() {
        let (loop, room) = loop(limits)
        let wire = Wire(to: room, on: loop)
        loop.authenticator = { _ in nil }
        wire.say(hello())
        wire.push(pings(100))
        loop.answer(0, .success(.anonymous))
        loop.endTurn()
        let first = wire.hear().count
        #expect(first > 1 && first < 101)
        for _ in 1...50 { loop.endTurn() }
        #expect(first + wire.hear().count == 101)
    }

    @Test func `a connection that ends while it waits is forgotten`() {
        let (loop, room) = loop(limits)
        weak var session: ServerSession?
        do {
            let wire = Wire.greeted(room, on: loop)
            wire.push(pings(100))
            session = wire.session
            wire.session.disconnected()
        }
        loop.endTurn()
        loop.endTurn()
        #expect(session == nil)
    }

    // MARK: Pages

    private struct Rename: SyncAction {
        var name: String
        var ids = ["0"]
    }

    /// Sixty items, of which each page shows as many as its number, and takes 300 to 4,000 bytes.
    private func shelf(
        _ loop: TestLoop, _ limits: SyncLimits, name: String = "old"
    ) -> Room<Shelf> {
        let items = (0..<60).map {
            Item(id: "\($0)", group: "", rank: $0, due: nil, name: name)
        }
        let page = Selection("page", rows: \Shelf.items) { (count: Int) in
            RowQuery().sorted(by: \.rank).limit(count)
        }
        let end = Selection("end", rows: \Shelf.items) { (count: Int) in
            RowQuery().sorted(by: \.rank, descending: true).limit(count)
        }
        return loop.open(
            RoomDefinition(
                state: Shelf(items: Table(items)), actions: [Rename.self], selections: [page, end]
            ) { shelf, action in
                guard let action = action as? Rename else { return }
                for id in action.ids { shelf.items[id: id]?.name = action.name }
            }, journal: TestJournal(isImmediate: true), limits: limits)
    }

    private var pages: [UInt8] {
        let frames = (5..<60).map {
            #"{"op":"subscribe","ref":\#($0),"select":"page","params":\#($0)}"#
        }
        return Array(("[" + frames.joined(separator: ",") + "]").utf8)
    }

    @Test
    func `pages that change are brought up to date in several turns, and sent at one version`() {
        let loop = TestLoop(limits: limits)
        let room = shelf(loop, limits)
        let wire = Wire.greeted(room, on: loop)
        wire.push(pages)
        for _ in 1...200 { loop.endTurn() }
        #expect(wire.hear().filter { $0.op == "snapshot" }.count == 55)
        // The second comes while pages wait for the first.
        room.dispatch(Rename(name: "new"), DispatchOutcome())
        loop.endTurn()
        room.dispatch(Rename(name: "newer"), DispatchOutcome())
        loop.endTurn()
        #expect(room.isBehind)
        #expect(wire.hear().isEmpty)
        var turns = 0
        while room.isBehind, turns < 100 {
            loop.endTurn()
            turns += 1
        }
        #expect(turns > 2)
        loop.endTurn()
        let patches = wire.hear().filter { $0.op == "patch" }
        #expect(patches.count == 55)
        #expect(patches.allSatisfy { $0["v"] == 2 && "\($0)".contains("newer") })
    }

    @Test func `small values are brought up to date before large ones`() {
        let loop = TestLoop(limits: limits)
        let room = shelf(loop, limits, name: String(repeating: "x", count: 3000))
        let crowd = Wire.greeted(room, on: loop)
        crowd.push(pages)
        for _ in 1...200 { loop.endTurn() }
        let bob = Wire.greeted(room, on: loop, client: .bob)
        bob.say(#"{"op":"subscribe","ref":1,"select":"page","params":1}"#)
        _ = bob.hear()
        room.dispatch(Rename(name: "new"), DispatchOutcome())
        loop.endTurn()
        room.dispatch(Rename(name: "newer"), DispatchOutcome())
        loop.endTurn()
        loop.endTurn()
        #expect(room.isBehind)
        #expect(bob.hear().last?["v"] == 2)
    }

    @Test func `who waits for a page that is as it was is answered, whichever turn finds that out`()
    {
        let loop = TestLoop(limits: limits)
        let room = shelf(loop, limits)
        Wire.greeted(room, on: loop).push(pages)
        // So few that each is sent what it has at once.
        let crowd = stride(from: 5, to: 60, by: 4).map { count in
            let wire = Wire.greeted(room, on: loop, client: "\(count)-0123456789abcdef")
            wire.push(Array(#"{"op":"subscribe","ref":1,"select":"page","params":\#(count)}"#.utf8))
            return wire
        }
        for _ in 1...200 { loop.endTurn() }
        for wire in crowd { _ = wire.hear() }
        room.dispatch(Rename(name: "new"), DispatchOutcome())
        for wire in crowd {
            wire.push(Array(dispatchFrame(1, "Rename", #"{"name":"x","ids":["59"]}"#).utf8))
        }
        loop.endTurn()
        room.dispatch(Rename(name: "old"), DispatchOutcome())
        #expect(room.isBehind)
        var actions = 0
        while room.isBehind, actions < 100 {
            // No page has it.
            room.dispatch(Rename(name: "\(actions)", ids: ["59"]), DispatchOutcome())
            loop.endTurn()
            actions += 1
        }
        #expect(actions > 2)
        for _ in 1...200 { loop.endTurn() }
        #expect(crowd.allSatisfy { $0.hear().contains { $0["acked"] == 1 } })
    }

    @Test func `what changes while another value changes and changes back comes in a transaction`()
    {
        let loop = TestLoop(limits: limits)
        let room = shelf(loop, limits)
        let bob = Wire.greeted(room, on: loop, client: .bob)
        bob.say(#"{"op":"subscribe","ref":1,"select":"page","params":5}"#)
        let crowd = Wire.greeted(room, on: loop)
        crowd.push(pages)
        for _ in 1...200 { loop.endTurn() }
        bob.say(#"{"op":"subscribe","ref":2,"select":"end","params":50}"#)
        #expect(bob.hear().filter { $0.op == "snapshot" }.count == 2)
        // The first row is on the page, and the one in the middle isn't.
        room.dispatch(Rename(name: "new", ids: ["0", "30"]), DispatchOutcome())
        loop.endTurn()
        #expect(room.isBehind)
        room.dispatch(Rename(name: "old", ids: ["30"]), DispatchOutcome())
        for _ in 1...200 { loop.endTurn() }
        let heard = bob.hear()
        // As of version 1 alone the client would have another end than the log.
        #expect(heard.ops == ["transaction", "patch"])
        #expect(heard.map { $0["v"] } == [2, 1])
    }

    @Test func `what a connection leaves is let go in several turns, unless somebody comes for it`()
    {
        let loop = TestLoop(limits: limits)
        let room = shelf(loop, limits)
        let wire = Wire.greeted(room, on: loop)
        wire.push(pages)
        for _ in 1...200 { loop.endTurn() }
        #expect(room.liveGroups.count == 55)
        let again = loop.turnsAgain
        wire.session.disconnected()
        #expect(room.liveGroups.count > 20)
        let other = Wire.greeted(room, on: loop, client: .bob)
        other.say(#"{"op":"subscribe","ref":1,"select":"page","params":59}"#)
        #expect(other.hear().map(\.op) == ["subscribed", "snapshot"])
        #expect(loop.turnsAgain > again)
        for _ in 1...200 { loop.endTurn() }
        #expect(room.liveGroups.count == 1)
        room.dispatch(Rename(name: "new"), DispatchOutcome())
        loop.endTurn()
        #expect(other.hear().map(\.op) == ["patch"])
    }

    @Test func `who leaves before pages are up to date and comes back is sent what changed`() throws
    {
        var limits = SyncLimits()
        limits.turnWork = 1
        let loop = TestLoop()
        let room = shelf(loop, limits)
        let wire = Wire.greeted(room, on: loop)
        for count in 1...9 {
            wire.say(#"{"op":"subscribe","ref":\#(count),"select":"page","params":\#(count)}"#)
        }
        for _ in 1...20 { loop.endTurn() }
        let tags = wire.hear().filter { $0.op == "subscribed" }.compactMap { $0["tag"]?.string }
        try #require(tags.count == 9)
        room.dispatch(Rename(name: "new"), DispatchOutcome())
        loop.endTurn()
        try #require(room.isBehind)
        // There is time to let them go, though there was none to bring them up to date.
        limits.turnWork = 1 << 20
        room.set(limits)
        wire.session.disconnected()
        #expect(room.liveGroups.isEmpty)
        let again = Wire.greeted(room, on: loop)
        for (count, tag) in zip(1..., tags) {
            let at = #"{"epoch":"\#(room.position.epoch)","v":0,"tag":"\#(tag)"}"#
            let rest = #""select":"page","params":\#(count),"at":\#(at)"#
            again.say(#"{"op":"subscribe","ref":\#(count),\#(rest)}"#)
        }
        for _ in 1...20 { loop.endTurn() }
        let values = again.hear().filter { ["patch", "snapshot"].contains($0.op) }
        #expect(values.count == 9)
        #expect(values.allSatisfy { $0.v == 1 && "\($0)".contains("new") })
    }

    // MARK: First values

    private func subscribes(_ count: Int) -> [UInt8] {
        let frames = (0..<count).map {
            #"{"op":"subscribe","ref":\#($0 + 1),"select":"line","params":\#($0)}"#
        }
        return Array(("[" + frames.joined(separator: ",") + "]").utf8)
    }

    private func shop(_ lines: Int, of size: Int) -> Shop {
        Shop(log: Array(repeating: String(repeating: "x", count: size), count: lines))
    }

    @Test func `first values of many bytes come in several writes`() {
        var limits = SyncLimits()
        limits.writeBytes = 10_000
        limits.turnWork = 1 << 30
        limits.turnWorkPerConnection = 1 << 30
        let loop = TestLoop(limits: limits)
        let room = loop.open(Shop.room(from: shop(20, of: 3000)), limits: limits)
        let wire = Wire.greeted(room, on: loop)
        wire.push(subscribes(20))
        var snapshots: [Int] = []
        while snapshots.reduce(0, +) < 20, snapshots.count < 30 {
            loop.endTurn()
            snapshots.append(wire.hear().filter { $0.op == "snapshot" }.count)
        }
        #expect(snapshots == [4, 4, 4, 4, 4])
    }

    @Test func `what a connection doesn't take isn't made for it`() {
        var limits = SyncLimits()
        limits.writeBytes = 10_000
        limits.turnWork = 1 << 30
        limits.turnWorkPerConnection = 1 << 30
        let loop = TestLoop(limits: limits)
        let room = loop.open(Shop.room(from: shop(20, of: 3000)), limits: limits)
        let wire = Wire.greeted(room, on: loop)
        wire.push(subscribes(20))
        loop.endTurn()
        #expect(wire.hear().filter { $0.op == "snapshot" }.count == 4)
        wire.isWritable = false
        for _ in 1...5 { loop.endTurn() }
        #expect(wire.hear().isEmpty)
        wire.resume()
        var rest = wire.hear()
        for _ in 1...5 {
            loop.endTurn()
            rest += wire.hear()
        }
        #expect(rest.filter { $0.op == "snapshot" }.count == 16)
    }

    @Test func `values that all become new come in one transaction, as far as it may be large`() {
        var limits = SyncLimits()
        limits.transactionBytes = 100_000
        let loop = TestLoop(limits: limits)
        let swap = Selection("swap") { (shop: Shop, number: Int) in
            String(repeating: shop.tea.isMultiple(of: 2) ? "a" : "b", count: 30_000) + "\(number)"
        }
        let room = loop.open(
            RoomDefinition(
                state: Shop(), actions: [AddTea.self], selections: [swap], reducer: Shop.reduce),
            limits: limits)
        let wire = Wire.greeted(room, on: loop)
        for number in 1...5 {
            wire.say(
                #"{"op":"subscribe","ref":\#(number),"select":"swap","params":\#(number)}"#)
        }
        _ = wire.hear()
        wire.dispatch(1, "AddTea", #"{"by":1}"#)
        let heard = wire.hear()
        // Those that don't fit end before the transaction, which brings all that are live.
        #expect(
            heard.ops == ["lapse", "lapse", "transaction", "snapshot", "snapshot", "snapshot"])
        #expect(heard.prefix(2).map(\.code) == ["renewed", "renewed"])
        #expect(heard[2]["count"] == 3)
    }
}

extension Double {
    fileprivate func isNearly(_ other: Double) -> Bool { abs(self - other) < 1e-9 }
}
