@testable import StorecastRoom
import Testing

/// Rooms on a durable journal: when they take snapshots, and how they are opened again.
struct RoomRecoveryTests {
    let loop = TestLoop()
    let journal = ArchiveJournal()

    private func open(
        _ definition: RoomDefinition<Shop> = Shop.room, entries: Int = 10, kept: Int? = nil
    ) -> Room<Shop> {
        var limits = SyncLimits()
        limits.snapshots.entries = entries
        limits.snapshots.kept = kept
        return loop.open(definition, journal: journal, limits: limits)
    }

    /// Has the server's own code dispatch, one entry a turn.
    private func dispatch(_ count: Int, in room: Room<Shop>) {
        for _ in 0..<count {
            room.dispatch(AddTea(by: 1), DispatchOutcome())
            loop.endTurn()
        }
    }

    @Test func `a snapshot is taken whenever so many entries came, and the tail is replayed`()
        throws
    {
        let room = open()
        dispatch(25, in: room)
        #expect(journal.snapshots.map(\.offset) == [0, 10, 20])
        #expect(journal.snapshots.map(\.version) == [0, 10, 20])
        let again = open()
        #expect(again.phase == .ready)
        #expect(again.store.state == room.store.state)
        #expect(again.position == room.position)
        #expect(journal.delivered == 5)
        // Those five count: the next one comes as if the room had never been closed.
        dispatch(5, in: again)
        #expect(journal.snapshots.map(\.offset) == [0, 10, 20, 30])
    }

    @Test func `no snapshot is taken in the middle of a batch, which the log may have twice`() {
        var limits = SyncLimits()
        limits.snapshots.entries = 1
        limits.turnActions = 2
        let room = loop.open(Shop.room, journal: journal, limits: limits)
        journal.keepsTwice = true
        for _ in 0..<5 { room.dispatch(AddTea(by: 1), DispatchOutcome()) }
        loop.endTurn()
        #expect(room.position.version == 2, "The others follow in the next turns.")
        // The machine fails, and what was kept last is lost.
        journal.entries.removeLast(10 - max(5, Int(journal.snapshots.last?.offset ?? 0)))
        #expect(open().store.state.tea == 5)
    }

    @Test func `what a history begins with is written before its first entry`() throws {
        let room = open(Shop.room(from: Shop(tea: 5)))
        #expect(journal.snapshots.isEmpty, "Whoever only looks leaves no trace.")
        journal.savesSnapshots = nil
        dispatch(2, in: room)
        #expect(journal.head == 0)
        journal.waitingSnapshots[0]()
        loop.endTurn()
        #expect(journal.head == 2)
        #expect(journal.snapshots.map(\.offset) == [0])
        let again = open(Shop.room(from: Shop(tea: 100)))
        #expect(again.store.state.tea == 7, "Another first state doesn't change the past.")
        dispatch(1, in: again)
        #expect(journal.waitingSnapshots.count == 1, "It is written once.")
    }

    @Test func `an action is taken although what its history begins with can't be written`() {
        journal.savesSnapshots = .failure(.unavailable("The disk is full."))
        let room = open()
        dispatch(1, in: room)
        #expect(room.position.version == 1)
        #expect(loop.reports.count == 1)
    }

    @Test(arguments: [(100, 64), (1 << 20, 1)])
    func `a snapshot may be larger and deeper than what clients may send`(
        messageBytes: Int, depth: Int
    ) {
        var limits = SyncLimits()
        limits.snapshots.entries = 10
        limits.messageBytes = messageBytes
        limits.depth = depth
        let room = loop.open(Shop.room, journal: journal, limits: limits)
        dispatch(10, in: room)
        #expect(journal.snapshots.map(\.offset) == [0, 10])
        let again = loop.open(Shop.room, journal: journal, limits: limits)
        #expect(again.store.state == room.store.state)
        #expect(journal.delivered == 0, "The snapshot is used.")
        #expect(loop.reports.isEmpty)
    }

    @Test func `a snapshot is taken when so many bytes came`() {
        var limits = SyncLimits()
        limits.snapshots.bytes = 2_000
        let room = loop.open(Shop.room, journal: journal, limits: limits)
        let ada = Wire.greeted(room, on: loop)
        let text = String(repeating: "x", count: 600)
        for seq in 1...6 { ada.dispatch(seq, "Write", #"{"text":"\#(text)"}"#) }
        // 867 bytes each, then as many as the snapshot takes.
        #expect(journal.snapshots.map(\.offset) == [0, 3, 6])
    }

    @Test func `a large snapshot waits until the log has grown by as much`() {
        let notes = String(repeating: "x", count: 10_000)
        let room = open(Shop.room(from: Shop(log: [notes])))
        dispatch(200, in: room)
        // It takes 10,000 bytes for the text and some 200 beside it, 300 when there are clients; an
        // entry of the server's counts as 1,024.
        #expect(journal.snapshots.map(\.offset).prefix(3) == [0, 10, 21])
    }

    @Test func `one snapshot is written at a time`() {
        let room = open()
        dispatch(1, in: room)
        journal.savesSnapshots = nil
        dispatch(34, in: room)
        #expect(journal.waitingSnapshots.count == 1)
        journal.waitingSnapshots[0]()
        #expect(journal.snapshots.map(\.version) == [0, 10])
        #expect(journal.snapshots.map(\.offset) == [0, 10])
        dispatch(1, in: room)
        #expect(journal.snapshots.map(\.offset) == [0, 10, 36])
    }

    @Test func `a snapshot that can't be written is told, and tried again a minute later`() {
        journal.savesSnapshots = .failure(.unavailable("The disk is full."))
        let room = open()
        dispatch(15, in: room)
        #expect(loop.reports.count == 1)
        #expect(loop.reports[0].contains("The disk is full."))
        journal.savesSnapshots = .success(())
        dispatch(10, in: room)
        #expect(journal.snapshots.isEmpty)
        loop.advance(by: 59.9)
        #expect(journal.snapshots.isEmpty)
        loop.advance(by: 0.1)
        #expect(journal.snapshots.map(\.offset) == [25])
        #expect(loop.rooms.flushes.counts.snapshots.failed == 1)
        #expect(loop.rooms.flushes.counts.snapshots.written == 1)
    }

    @Test func `everything is kept unless the server says how many snapshots are`() {
        dispatch(50, in: open())
        #expect(journal.truncated == 0)
        let room = open(kept: 2)
        dispatch(20, in: room)
        #expect(journal.snapshots.map(\.offset) == [60, 70])
        #expect(journal.truncated == 60)
        #expect(open(kept: 2).store.state == room.store.state)
    }

    @Test func `a snapshot that isn't good is passed over for an older one, and told`() {
        let room = open()
        dispatch(35, in: room)
        journal.snapshots[3].content[40] ^= 1
        let again = open()
        #expect(again.store.state == room.store.state)
        #expect(loop.reports.count == 1)
        #expect(loop.reports[0].contains("The snapshot at offset 30 of room '/'"))
        #expect(journal.delivered == 15)
        for index in journal.snapshots.indices { journal.snapshots[index].content = [] }
        #expect(open().store.state == room.store.state)
        #expect(journal.delivered == 15 + 35)
    }

    @Test func `when nothing good holds what was forgotten, the room isn't opened`() {
        dispatch(25, in: open(kept: 1))
        #expect(journal.truncated == 10 || journal.truncated == 20)
        journal.snapshots[0].content = []
        let again = open()
        #expect(again.phase == .failed(.truncated(below: journal.truncated + 1)))
    }

    @Test func `a journal that isn't durable is given no snapshots`() {
        let room = loop.open(
            Shop.room, journal: TestJournal(isImmediate: true),
            limits: {
                var limits = SyncLimits()
                limits.snapshots.entries = 1
                return limits
            }())
        dispatch(5, in: room)
        #expect(loop.reports.isEmpty)
    }

    @Test func `reading is told page by page`() {
        let room = open()
        dispatch(25, in: room)
        _ = open()
        #expect(
            loop.progress.map(\.done) == [5, 5] && loop.progress.allSatisfy { $0.total == 5 })
    }

    @Test func `who was in the room by a snapshot may come back, and has left else`() {
        var limits = SyncLimits()
        limits.snapshots.entries = 1
        let room = loop.open(Hall.room, journal: journal, limits: limits)
        _ = Wire.greeted(room, on: loop)
        #expect(journal.snapshots.map(\.offset) == [0, 1])
        let again = loop.open(Hall.room, journal: journal, limits: limits, seed: 2)
        #expect(again.log.present == room.log.present)
        #expect(journal.delivered == 0)
        loop.advance(by: 10)
        loop.endTurn()
        #expect(again.store.state.presence == Presence())
        #expect(again.log.present.isEmpty)
    }

    @Test func `a room is idle when nobody is in it and nothing is under way`() {
        let room = open()
        #expect(room.isIdle)
        let ada = Wire.greeted(room, on: loop)
        #expect(!room.isIdle)
        ada.session.disconnected()
        #expect(room.isIdle)
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        #expect(!room.isIdle)
        loop.endTurn()
        #expect(room.isIdle)
        journal.savesSnapshots = nil
        dispatch(9, in: room)
        #expect(!room.isIdle)
        journal.waitingSnapshots[0]()
        #expect(room.isIdle)
        // Subscribers of the server's own code would be forgotten.
        let follower = Follower()
        room.store.subscribe(follower)
        #expect(!room.isIdle)
        // A room that isn't kept anywhere is never idle.
        #expect(!loop.open(Shop.room).isIdle)
    }

    @Test func `what is done on opening doesn't keep a room in memory`() {
        let follower = Follower()
        let definition = Shop.room.onOpen { store in store.subscribe(follower) }
        #expect(open(definition).isIdle)
    }

    @Test func `before it leaves memory a room is written, if that is worth it`() {
        let room = open(entries: 1000)
        dispatch(99, in: room)
        var isReady = false
        room.prepareToUnload { isReady = true }
        #expect(isReady)
        #expect(journal.snapshots.map(\.offset) == [0])
        dispatch(1, in: room)
        journal.savesSnapshots = nil
        isReady = false
        room.prepareToUnload { isReady = true }
        #expect(!isReady)
        journal.waitingSnapshots[0]()
        #expect(isReady)
        #expect(journal.snapshots.map(\.offset) == [0, 100])
    }
}

private final class Follower: StoreSubscriber, Sendable {
    func newState(state: Shop) {}
}
