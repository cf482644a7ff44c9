import StorecastWire
import Testing

@testable import StorecastRoom

/// Who is let in, who is closed, what is written when, and which rooms leave memory.
struct RoomLoopTests {
    private func open(_ loop: TestLoop, _ journal: TestJournal) {
        loop.maker = { [unowned loop] path in
            path == "/none" ? nil : loop.open(Shop.room, at: path, journal: journal)
        }
    }

    private func loop(
        _ limits: SyncLimits = SyncLimits(), unloadsRooms: Bool = false,
        journal: TestJournal = TestJournal(isImmediate: true)
    ) -> TestLoop {
        let loop = TestLoop(limits: limits, unloadsRooms: unloadsRooms)
        open(loop, journal)
        return loop
    }

    private var oneRoom: SyncLimits {
        var limits = SyncLimits()
        limits.rooms = 1
        return limits
    }

    // MARK: Memory

    @Test func `short of memory nobody new is let in, until a tenth of the mark is free`() {
        let loop = loop()
        let early = Wire(1, to: "/a", on: loop)
        early.say(hello())
        #expect(!loop.rooms.noteMemory(1000, mark: 1000))
        #expect(Wire(2, to: "/a", on: loop).session != nil)
        #expect(loop.rooms.noteMemory(1001, mark: 1000))
        let late = Wire(3, to: "/a", on: loop)
        #expect(late.closeCode == .full)
        #expect(late.hear().map { $0["after"] } == [10])
        // Those who hold little stay, however long it lasts.
        for _ in 0..<10 { #expect(!loop.rooms.noteMemory(2000, mark: 1000)) }
        #expect(early.closeCode == nil)
        #expect(!loop.rooms.noteMemory(901, mark: 1000))
        #expect(Wire(4, to: "/a", on: loop).closeCode == .full)
        #expect(!loop.rooms.noteMemory(900, mark: 1000))
        #expect(Wire(5, to: "/a", on: loop).closeCode == nil)
        #expect(
            loop.reports == [
                "0 MiB of memory are in use, more than the limit 'memory' of 0 MiB: nobody new is let "
                    + "in.", "There is enough memory again: 0 MiB are in use.",
            ])
    }

    @Test func `those who hold the most are ended first, of them the newest, a twentieth a time`() {
        let loop = loop()
        let wires = (0..<45).map { number in
            let wire = Wire(UInt64(number + 1), to: "/a", on: loop)
            // Two hold less than it would help to free.
            wire.heldBytes = number < 2 ? 16_383 : number == 20 ? 1 << 20 : 16_384
            return wire
        }
        func ended() -> [Int] { wires.indices.filter { wires[$0].closeCode != nil } }
        _ = loop.rooms.noteMemory(2, mark: 1)
        #expect(ended() == [])
        _ = loop.rooms.noteMemory(2, mark: 1)
        #expect(ended() == [20, 43, 44])
        #expect(wires[20].closeCode == .full)
        for number in ended() { loop.rooms.end(UInt64(number + 1)) }
        while loop.rooms.noteMemory(2, mark: 1) {
            for number in ended() { loop.rooms.end(UInt64(number + 1)) }
        }
        #expect(ended() == Array(2..<45))
    }

    @Test func `an edge stays when memory is short, however much is held for it`() {
        let loop = loop()
        loop.edgeKey = "key"
        let edge = Wire(1, to: "/a", on: loop)
        edge.say(hello(.bob, #","edge":1,"token":"key""#))
        edge.heldBytes = 1 << 20
        let client = Wire(2, to: "/a", on: loop)
        client.heldBytes = 16_384
        for _ in 1...3 { _ = loop.rooms.noteMemory(2, mark: 1) }
        #expect(edge.closeCode == nil)
        #expect(client.closeCode == .full)
    }

    @Test func `what a client said before its welcome isn't held any more after it`() {
        let loop = loop()
        let wire = Wire(1, to: "/a", on: loop)
        let filler = String(repeating: "x", count: 20_000)
        wire.say(hello(.ada, #","more":"\#(filler)""#))
        #expect(wire.hear().map(\.op) == ["welcome"])
        #expect(wire.session.cost == 0)
    }

    @Test func `nor is what came behind a hello whose token was being checked`() {
        let loop = loop()
        loop.authenticator = { _ in nil }
        let wire = Wire(1, to: "/a", on: loop)
        wire.say(hello(), #"{"op":"subscribe","ref":1,"select":"tea"}"#, #"{"op":"ping"}"#)
        #expect(wire.session.cost > 0)
        loop.answer(0, .success(.anonymous))
        loop.endTurn()
        #expect(wire.hear().map(\.op) == ["welcome", "subscribed", "pong", "snapshot"])
        #expect(wire.session.cost == 0 && wire.session.waitingFrames == 0)
    }

    @Test func `what came before the welcome counts until it is worked off`() {
        var limits = SyncLimits()
        limits.turnWork = 1
        let loop = loop(limits)
        loop.authenticator = { _ in nil }
        let wire = Wire(1, to: "/a", on: loop)
        wire.say(hello())
        for _ in 1...10 { wire.say(#"{"op":"ping"}"#) }
        // The token is being checked, and some of it was taken.
        let bytes = wire.session.cost
        #expect(bytes > hello().utf8.count && wire.session.waitingFrames > 0)
        loop.answer(0, .success(.anonymous))
        #expect(wire.session.cost >= bytes)
        for _ in 1...30 { loop.endTurn() }
        #expect(wire.hear().count == 11)
        #expect(wire.session.cost == 0)
    }

    @Test func `when too much waits, those of whom most does are ended, the newest first`() {
        var limits = SyncLimits()
        limits.turnWork = 1
        limits.pendingBytes = 4000
        limits.messageBytes = 1000
        let loop = loop(limits)
        let wires = (0..<8).map { number in
            let network = number == 0 ? "192.0.2.1" : number == 1 ? "192.0.2.2" : "192.0.2.3"
            let wire = Wire(UInt64(number), to: "/a", on: loop, from: network)
            wire.say(hello("client-\(number)-0123456789abcdef"))
            return wire
        }
        func endTurns() -> [Int] {
            for _ in 0..<20 { loop.endTurn() }
            return wires.map { $0.hear().count }
        }
        #expect(endTurns() == [1, 1, 1, 1, 1, 1, 1, 1])
        let ping = #"{"op":"ping","more":"\#(String(repeating: "x", count: 577))"}"#
        #expect(ping.utf8.count == 600)
        // None is read before the next turn; the seventh is too much.
        for wire in wires { wire.push(Array(ping.utf8)) }
        #expect(wires.map { $0.closeCode } == [nil, nil, nil, nil, nil, .busy, .busy, nil])
        #expect(wires[6].hear().map { $0["after"] } == [5])
        #expect(endTurns() == [1, 1, 1, 1, 1, 1, 0, 1])
    }

    @Test func `what lingers is forgotten when memory is short`() {
        let loop = loop()
        let wire = Wire(1, to: "/a", on: loop)
        wire.say(hello(), #"{"op":"subscribe","ref":1,"select":"tea"}"#)
        wire.say(#"{"op":"unsubscribe","ref":1}"#)
        let room = wire.session.room as? Room<Shop>
        #expect(room?.lingeringCount == 1)
        _ = loop.rooms.noteMemory(2, mark: 1)
        #expect(room?.lingeringCount == 0)
    }

    // MARK: Coming

    @Test func `a connection to a path without a room is told so and closed`() {
        let loop = loop()
        let wire = Wire(1, to: "/none", on: loop)
        #expect(wire.session == nil)
        #expect(wire.closeCode == .noRoom)
        #expect(wire.hear().map(\.code) == ["no-room"])
        #expect(loop.rooms.sessions.isEmpty && loop.rooms.visitors.isEmpty)
    }

    @Test func `a path that no room can have isn't asked for`() {
        let loop = loop()
        loop.maker = { path in
            Issue.record("\(path) was asked for.")
            return nil
        }
        for (id, path) in ["", "shop", "/a\u{0}"].enumerated() {
            #expect(Wire(UInt64(id), to: path, on: loop).closeCode == .noRoom)
        }
    }

    @Test func `a name that is too long to be passed on is refused, and isn't asked for`() {
        let longest = "/" + String(repeating: "(", count: 511)
        let loop = loop()
        #expect(Wire(1, to: longest, on: loop).closeCode == nil)
        loop.maker = { path in
            Issue.record("A room of \(path.utf8.count) bytes was asked for.")
            return nil
        }
        // Bytes count, not characters.
        for path in [longest + "(", "/" + String(repeating: "é", count: 256)] {
            let wire = Wire(2, to: path, on: loop)
            #expect(wire.closeCode == .noRoom)
            let bye = wire.hear().first
            #expect(bye?["title"] == "A room's name may have 512 bytes.")
            #expect(bye?["reconnect"] == false)
        }
    }

    @Test func `where there are as many rooms as may be, nobody opens another`() {
        let loop = loop(oneRoom)
        let first = Wire(1, to: "/a", on: loop)
        let second = Wire(2, to: "/b", on: loop)
        #expect(second.closeCode == .full)
        let bye = second.hear()
        #expect(bye.map(\.code) == ["full"])
        #expect(bye.map { $0["reconnect"] } == [true])
        // To the room that is open others may come.
        #expect(Wire(3, to: "/a", on: loop).session?.room === first.session.room)
        #expect(loop.rooms.visitors == ["/a": 2])
    }

    @Test func `a room in which nothing happened is gone with the last who asked for it`() {
        let loop = loop(oneRoom)
        let (first, second) = (Wire(1, to: "/a", on: loop), Wire(2, to: "/a", on: loop))
        loop.rooms.end(first.id)
        #expect(loop.rooms.rooms.count == 1)
        loop.rooms.end(second.id)
        #expect(loop.rooms.rooms.isEmpty && loop.rooms.visitors.isEmpty)
        #expect(Wire(3, to: "/b", on: loop).session != nil)
    }

    @Test func `a room whose first action is still to be kept stays, though nobody is in it`() {
        let journal = TestJournal()
        let loop = loop(journal: journal)
        let wire = Wire(1, to: "/a", on: loop)
        wire.say(hello())
        let first = wire.session.room
        wire.push(Array(dispatchFrame(1, "AddTea", #"{"by":1}"#).utf8))
        // Before the journal has heard of it, and while it writes.
        loop.rooms.end(wire.id)
        #expect(loop.rooms.rooms.count == 1)
        loop.endTurn()
        for id in [2, 3] as [UInt64] {
            let visitor = Wire(id, to: "/a", on: loop)
            #expect(visitor.session.room === first)
            loop.rooms.end(id)
            #expect(loop.rooms.rooms.count == 1)
        }
        #expect(journal.pending.map(\.batch.count) == [1])
        journal.finish()
        loop.endTurn()
        let again = Wire(4, to: "/a", on: loop)
        again.say(hello())
        #expect(again.hear().map { $0["lastSeq"] } == [1])
    }

    @Test func `an address has as many connections as it may, however long they are quiet`() {
        var limits = SyncLimits()
        limits.connectionsPerAddress = 2
        let loop = loop(limits)
        func come(_ id: UInt64) -> CloseCode? {
            let wire = Wire(id, to: "/a", on: loop, from: "192.0.2.1")
            if wire.closeCode == nil { wire.say(hello("client-\(id)-0123456789abcdef")) }
            return wire.closeCode
        }
        #expect([come(1), come(2), come(3)] == [nil, nil, .full])
        loop.advance(by: 3600)
        loop.endTurn()
        #expect(come(4) == .full)
        loop.rooms.end(1)
        #expect([come(5), come(6)] == [nil, .full])
        loop.rooms.end(2)
        loop.rooms.end(5)
        #expect([come(7), come(8), come(9)] == [nil, nil, .full])
    }

    @Test func `edges don't count among the connections of their address, nor once they have gone`()
    {
        var limits = SyncLimits()
        limits.connectionsPerAddress = 2
        let loop = loop(limits)
        loop.edgeKey = "key"
        func come(_ id: UInt64, _ rest: String = "") -> CloseCode? {
            let wire = Wire(id, to: "/a", on: loop, from: "192.0.2.1")
            if wire.closeCode == nil { wire.say(hello("client-\(id)-0123456789abcdef", rest)) }
            return wire.closeCode
        }
        for id in 1...3 as ClosedRange<UInt64> {
            #expect(come(id, #","edge":1,"token":"key""#) == nil)
        }
        for id in 1...3 as ClosedRange<UInt64> { loop.rooms.end(id) }
        #expect([come(4), come(5), come(6)] == [nil, nil, .full])
    }

    @Test func `a room that was left to another server is opened anew when its visitors have gone`()
    {
        let journal = TestJournal()
        let loop = loop(journal: journal)
        let (first, second) = (Wire(1, to: "/a", on: loop), Wire(2, to: "/a", on: loop))
        for wire in [first, second] { wire.say(hello("client-\(wire.id)-0123456789abcdef")) }
        let left = first.session.room
        first.say(dispatchFrame(1, "AddTea", #"{"by":1}"#))
        journal.finish(.replaced)
        loop.endTurn()
        #expect([first, second].map(\.closeCode) == [.goingAway, .goingAway])
        loop.rooms.end(first.id)
        loop.rooms.end(second.id)
        let again = Wire(3, to: "/a", on: loop)
        #expect(again.session.room !== left)
        again.say(hello())
        #expect(again.hear().map(\.op) == ["welcome"])
    }

    @Test func `who says no hello in time is closed, and who said one isn't`() {
        let loop = loop()
        let silent = Wire(1, to: "/a", on: loop)
        loop.advance(by: 4)
        let late = Wire(2, to: "/a", on: loop)
        let greeted = Wire(3, to: "/a", on: loop)
        greeted.say(hello())
        loop.advance(by: 5.9)
        #expect(silent.closeCode == nil)
        loop.advance(by: 0.1)
        loop.endTurn()
        #expect(silent.closeCode == .helloTimeout)
        #expect(silent.hear().map(\.code) == ["hello-timeout"])
        #expect(late.closeCode == nil)
        loop.advance(by: 4)
        #expect(late.closeCode == .helloTimeout)
        #expect(greeted.closeCode == nil)
        // Whoever comes when all deadlines are over is watched too.
        let last = Wire(4, to: "/a", on: loop)
        loop.advance(by: 10)
        #expect(last.closeCode == .helloTimeout)
    }

    @Test func `of those who came at one instant, each who says no hello in time is closed`() {
        let loop = loop()
        let wires = (1...4).map { Wire($0, to: "/a", on: loop) }
        loop.rooms.end(wires[0].id)
        wires[2].say(hello())
        loop.advance(by: 10)
        #expect(wires.map(\.closeCode) == [nil, .helloTimeout, nil, .helloTimeout])
    }

    // MARK: Turns

    @Test
    func `of many who come and go at once nothing is kept until they would have to say hello`() {
        let loop = loop()
        let stays = Wire(1, to: "/a", on: loop)
        for id in 2...1000 {
            _ = Wire(UInt64(id), to: "/a", on: loop)
            loop.rooms.end(UInt64(id))
        }
        #expect(loop.rooms.greetings.count < 100)
        loop.advance(by: SyncLimits().helloTimeout / .seconds(1))
        #expect(stays.closeCode == .helloTimeout)
        #expect(loop.rooms.greetings.isEmpty)
    }

    @Test func `an append is begun once in a turn, with all that came in it`() {
        let journal = TestJournal()
        let loop = loop(journal: journal)
        let wire = Wire(1, to: "/a", on: loop)
        wire.say(hello())
        let dispatches = (1...3).map { dispatchFrame($0, "AddTea", #"{"by":1}"#) }
        for frame in dispatches { wire.push(Array(frame.utf8)) }
        #expect(journal.pending.isEmpty)
        loop.endTurn()
        #expect(journal.pending.map(\.batch.count) == [3])
    }

    @Test func `a connection that takes nothing is sent what it missed when it takes again`() {
        let loop = loop()
        let wire = Wire(1, to: "/a", on: loop)
        wire.say(hello())
        _ = wire.hear()
        wire.isWritable = false
        wire.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(wire.hear().isEmpty)
        wire.resume()
        #expect(wire.hear().ops == ["transaction"])
    }

    // MARK: Rooms that leave memory

    private let journal = TestJournal(isImmediate: true)

    /// A loop whose rooms can be read again.
    private func durableLoop() -> TestLoop {
        journal.isDurable = true
        return loop(unloadsRooms: true, journal: journal)
    }

    /// A room in which enough happened for a snapshot, and which nobody is in any more.
    private func left(_ loop: TestLoop) -> any AnyRoom {
        let wire = Wire(1, to: "/a", on: loop)
        let room = loop.rooms.rooms["/a"]!
        wire.say(hello())
        for seq in 1...100 { wire.dispatch(seq, "AddTea", #"{"by":1}"#) }
        loop.rooms.end(wire.id)
        return room
    }

    @Test func `a room that nobody is in leaves memory, and comes back as it was`() {
        let loop = durableLoop()
        let room = left(loop)
        loop.advance(by: 59.9)
        #expect(loop.rooms.rooms["/a"] === room)
        loop.advance(by: 0.1)
        #expect(loop.rooms.rooms.isEmpty)
        #expect(loop.unloadedRooms == ["/a"])
        #expect(journal.closed == ["/a"])
        #expect(loop.timerCount == 0)
        let again = Wire(2, to: "/a", on: loop)
        #expect(again.session.room !== room)
        #expect(again.session.room.position.version == 100)
    }

    @Test func `a room in which nothing happened leaves memory with the last who is there`() {
        let loop = durableLoop()
        let wires = [Wire(1, to: "/a", on: loop), Wire(2, to: "/a", on: loop)]
        for wire in wires { wire.say(hello("client-\(wire.id)-0123456789abcdef")) }
        loop.rooms.end(1)
        #expect(!loop.rooms.rooms.isEmpty && journal.closed.isEmpty)
        loop.rooms.end(2)
        #expect(loop.rooms.rooms.isEmpty)
        #expect(journal.closed == ["/a"])
    }

    @Test func `a room whose journal keeps nothing stays`() {
        let loop = loop(journal: journal)
        let room = left(loop)
        loop.advance(by: 3600)
        #expect(loop.rooms.rooms["/a"] === room)
    }

    @Test func `who comes back while the room's last snapshot is written keeps it in memory`() {
        let loop = durableLoop()
        let room = left(loop)
        journal.holdsSnapshots = true
        loop.advance(by: 60)
        let back = Wire(2, to: "/a", on: loop)
        #expect(back.session.room === room)
        journal.finishSnapshots()
        #expect(loop.rooms.rooms["/a"] === room)
        #expect(loop.unloadedRooms.isEmpty)
        loop.advance(by: 3600)
        #expect(loop.rooms.rooms["/a"] === room)
    }

    @Test func `a room that is busy when its time has come leaves memory later`() {
        let loop = durableLoop()
        let room = left(loop)
        journal.holdsSnapshots = true
        loop.advance(by: 60)
        // The server's own, which waits for the journal.
        journal.isImmediate = false
        (room as? Room<Shop>)?.dispatch(AddTea(by: 1), DispatchOutcome())
        loop.endTurn()
        journal.finishSnapshots()
        #expect(loop.rooms.rooms["/a"] === room)
        journal.finish()
        loop.endTurn()
        journal.holdsSnapshots = false
        loop.advance(by: 60)
        #expect(loop.rooms.rooms.isEmpty)
        #expect(loop.unloadedRooms == ["/a"])
    }

    @Test func `who comes and goes gives the room its time once more`() {
        let loop = durableLoop()
        _ = left(loop)
        loop.advance(by: 30)
        loop.rooms.end(Wire(2, to: "/a", on: loop).id)
        loop.advance(by: 59.9)
        #expect(!loop.rooms.rooms.isEmpty)
        loop.advance(by: 0.1)
        #expect(loop.rooms.rooms.isEmpty)
    }

    @Test func `a room that the server keeps for itself stays where it would lose anything`() {
        let loop = loop()
        let kept = loop.rooms.keptRoom("/a")
        loop.rooms.end(Wire(1, to: "/a", on: loop).id)
        #expect(loop.rooms.rooms["/a"] === kept)
    }

    @Test func `a room that can't be read is tried again by who comes next, not under others`() {
        let loop = loop(oneRoom, journal: journal)
        journal.openingError = .unavailable("Away.")
        let wire = Wire(1, to: "/a", on: loop)
        let room = loop.rooms.rooms["/a"]!
        #expect(room.hasFailed)
        #expect(loop.rooms.usedRoom("/a") === room, "Somebody waits for it still.")
        loop.rooms.end(wire.id)
        let second = loop.rooms.usedRoom("/a")!
        #expect(second !== room && second.hasFailed)
        let third = loop.rooms.keptRoom("/a")!
        #expect(third !== second && third.hasFailed)
        journal.openingError = nil
        let next = Wire(2, to: "/a", on: loop)
        #expect(next.session.room !== third)
        #expect(loop.rooms.usedRoom("/a") === next.session.room)
        #expect(loop.rooms.rooms.count == 1)
    }

    // MARK: The end

    @Test func `everyone is told that the server stops, greeted or not`() {
        let loop = loop()
        let wires = (1...3).map { Wire($0, to: "/a", on: loop) }
        wires[0].say(hello())
        _ = wires[0].hear()
        var isSaid = false
        loop.rooms.stop { isSaid = true }
        #expect(loop.rooms.isStopping && isSaid)
        for wire in wires {
            #expect(wire.closeCode == .goingAway)
            #expect(wire.hear().map(\.code) == ["going-away"])
        }
    }

    @Test
    func `a crowd is told in waves, in half of the time for the end, and to come back in time`() {
        var limits = SyncLimits()
        limits.connectionsPerAddress = 10_000
        limits.drainTimeout = .milliseconds(500)
        let loop = loop(limits)
        let wires = (1...3000).map { Wire($0, to: "/a", on: loop) }
        func told() -> Int { wires.count { $0.closeCode != nil } }
        var isSaid = false
        loop.rooms.stop { isSaid = true }
        // A quarter of a second has five waves.
        #expect(told() == 601)
        #expect(wires[0].hear().map { $0["jitter"] } == [3])
        for count in [1202, 1803, 2404] {
            #expect(!isSaid)
            loop.advance(by: 0.05)
            #expect(told() == count)
        }
        loop.advance(by: 0.05)
        #expect(told() == 3000 && isSaid)
    }

    @Test func `stopping waits for the rooms' snapshots, a quarter of its time at most`() {
        let loop = durableLoop()
        _ = left(loop)
        journal.holdsSnapshots = true
        var ends = 0
        loop.rooms.prepareRoomsToEnd { ends += 1 }
        #expect(ends == 0)
        loop.advance(by: 4.9)
        #expect(ends == 0)
        loop.advance(by: 0.1)
        #expect(ends == 1)
        journal.finishSnapshots()
        #expect(ends == 1)
        loop.rooms.prepareRoomsToEnd { ends += 1 }
        journal.finishSnapshots()
        #expect(ends == 2)
    }

    @Test func `a room that goes elsewhere waits for its own snapshot, and no longer`() {
        let loop = durableLoop()
        _ = left(loop)
        journal.holdsSnapshots = true
        var ends = 0
        loop.rooms.prepareRoomToEnd("/none") { ends += 1 }
        #expect(ends == 1)
        loop.rooms.prepareRoomToEnd("/a") { ends += 1 }
        loop.advance(by: 4.9)
        #expect(ends == 1)
        loop.advance(by: 0.1)
        #expect(ends == 2)
        journal.finishSnapshots()
        #expect(ends == 2)
    }

    @Test func `without rooms nothing is waited for`() {
        let loop = loop()
        var ended = false
        loop.rooms.prepareRoomsToEnd { ended = true }
        #expect(ended)
        #expect(loop.timerCount == 1)
    }
}
