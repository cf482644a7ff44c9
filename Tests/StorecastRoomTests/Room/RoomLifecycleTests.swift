import Testing

@testable import StorecastRoom

/// A room whose log is told who comes and goes, with ten seconds to come back.
struct RoomLifecycleTests {
    let loop = TestLoop()
    let journal = TestJournal(isImmediate: true)
    let room: Room<Hall>

    init() {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        room = loop.open(Hall.room, journal: journal)
    }

    private func enter(
        _ user: String, _ client: String = .ada, of room: Room<Hall>? = nil
    ) -> Wire {
        Wire.greeted(room ?? self.room, on: loop, client: client, rest: #","token":"\#(user)""#)
    }

    private func wait(_ seconds: Double) {
        loop.advance(by: seconds)
        loop.endTurn()
    }

    @Test func `who comes has joined, and who doesn't come back in time has left`() {
        loop.advance(by: 5)
        let ada = enter("ada")
        #expect(room.store.state.diary == ["ada joined at 5.0"])
        wait(7)
        ada.session.disconnected()
        wait(9.9)
        #expect(room.store.state.diary.count == 1)
        wait(0.1)
        #expect(room.store.state.diary == ["ada joined at 5.0", "ada left at 22.0"])
        #expect(loop.timerCount == 0)
        #expect(room.attendance.isQuiet)
    }

    @Test func `who comes back in time wasn't away`() {
        for _ in 0..<5 {
            enter("ada").session.disconnected()
            wait(6)
        }
        #expect(room.store.state.diary.count == 1)
        // There is one timer, however often it was needed.
        #expect(loop.timerCount == 1)
        wait(20)
        #expect(room.store.state.diary.count == 2)
    }

    @Test func `who leaves again is given the whole time once more, twice it at most`() {
        let first = enter("ada")
        first.session.disconnected()
        wait(4)
        enter("ada").session.disconnected()
        wait(15.9)
        #expect(room.store.state.diary.count == 1)
        wait(0.1)
        #expect(room.store.state.diary.last == "ada left at 20.0")
    }

    @Test func `a connection that another one replaces is no news`() {
        let old = enter("ada")
        let new = enter("ada")
        #expect(old.closeCode == .replaced)
        wait(60)
        #expect(room.store.state.diary == ["ada joined at 0.0"])
        new.session.disconnected()
        wait(10)
        #expect(room.store.state.diary.count == 2)
    }

    @Test func `each client joins, under a public id that stays and says nothing of its own`() {
        _ = (enter("ada"), enter("ada", .bob), enter("eve", .ada + "2"))
        let joined = journal.entries.compactMap { $0.actions.first as? ClientJoined }
        #expect(joined.map(\.user) == ["ada", "ada", "eve"])
        #expect(Set(joined.map(\.participant)).count == 3)
        // sha256("ada-0123456789abcdef/0/0") in base 32, by Python's hashlib.
        #expect(joined[0].participant == "h6vnjor3vip30utj029oie2hlc")
        #expect(journal.entries.allSatisfy { $0.sender == .server && !$0.client.contains("ada") })
    }

    @Test func `clients can't say it themselves, though the reducer knows it`() {
        let ada = enter("ada")
        _ = ada.hear()
        for (seq, type) in [(1, "ClientJoined"), (2, "ClientLeft")] {
            ada.dispatch(seq, type, #"{"participant":"x","user":"eve"}"#)
        }
        #expect(ada.hear().filter { $0.op == "reject" }.map(\.code) == ["forbidden", "forbidden"])
        #expect(room.store.state.diary.count == 1)
        #expect(Hall.room.actions.names == ["SetStatus", "Wait"])
    }

    @Test func `a room that doesn't ask for it has nothing to do with it`() {
        let room = loop.open(Shop.room, journal: TestJournal(isImmediate: true))
        let ada = Wire.greeted(room, on: loop)
        ada.dispatch(1, "ClientJoined", #"{"participant":"x","user":"eve"}"#)
        #expect(ada.hear().first?.code == "forbidden")
        ada.session.disconnected()
        #expect(room.position.version == 0)
        #expect(loop.timerCount == 0)
        #expect(room.isUntouched)
    }

    @Test func `after a restart those who don't come back in time have left`() {
        _ = (enter("ada"), enter("bob", .bob))
        enter("eve", .ada + "2").session.disconnected()
        wait(3)
        // The server stops; 100 seconds later there is another one.
        wait(0)
        let before = room.store.state
        loop.forgetTimers()
        loop.advance(by: 97)
        let again = loop.open(Hall.room, journal: journal, seed: 2)
        #expect(again.store.state == before)
        loop.advance(by: 5)
        _ = enter("ada", of: again)
        #expect(again.store.state == before)
        wait(5)
        #expect(
            Set(again.store.state.diary.dropFirst(3)) == ["bob left at 110.0", "eve left at 110.0"])
        #expect(again.store.state.presence.participants.map(\.id) == ["ada"])
        // What is read is what was, also of who is there.
        let third = loop.open(Hall.room, journal: journal, seed: 3)
        #expect(third.store.state == again.store.state)
        #expect(third.log.present == again.log.present)
    }

    @Test func `while the journal takes nothing, coming and going is kept in order`() {
        let journal = TestJournal()
        let room = loop.open(Hall.room, journal: journal)
        let ada = enter("ada", of: room)
        journal.finish(false)
        ada.session.disconnected()
        for _ in 0..<30 {
            wait(1)
            journal.finish(false)
        }
        #expect(room.store.state.diary.isEmpty)
        for _ in 0..<3 {
            wait(1)
            journal.finish()
        }
        // It joined when it came; that it has left was found when that was known.
        #expect(room.store.state.diary == ["ada joined at 0.0", "ada left at 31.0"])
    }

    @Test func `where too much waits already, it is said when there is place`() {
        var limits = SyncLimits()
        limits.waitingBytes = 1024
        let journal = TestJournal()
        let room = loop.open(Hall.room, journal: journal, limits: limits)
        let bob = enter("bob", .bob, of: room)
        let ada = enter("ada", of: room)
        #expect(journal.pending.map(\.batch.count) == [1])
        journal.finish()
        wait(10)
        journal.finish()
        wait(0)
        #expect(room.store.state.presence.participants.map(\.id) == ["bob", "ada"])
        #expect(loop.timerCount == 0)
        _ = (ada, bob)
    }

    @Test func `of many who come at once so many are told of, the others later`() {
        var limits = SyncLimits()
        (limits.announcements, limits.announcementsPerSecond) = (2, 1)
        let journal = TestJournal(isImmediate: true)
        let room = loop.open(Hall.room, journal: journal, limits: limits)
        let names = ["ada", "bob", "cyd"]
        let wires = names.map { enter($0, "\($0)-0123456789abcdef", of: room) }
        #expect(room.store.state.diary == ["ada joined at 0.0", "bob joined at 0.0"])
        wait(9.9)
        #expect(room.store.state.diary.count == 2)
        wait(0.1)
        #expect(room.store.state.diary.last == "cyd joined at 10.0")
        #expect(room.store.state.diary.count == 3)
        withExtendedLifetime(wires) {}
    }

    @Test func `middleware may keep it from the log, and is asked once`() {
        let asked = Tally()
        let room = loop.open(
            Hall.room.onOpen { store in
                store.middleware = [
                    { _, _ in
                        { next in
                            { action in
                                if action is ClientJoined { asked.increase() } else { next(action) }
                            }
                        }
                    }
                ]
            })
        enter("ada", of: room).session.disconnected()
        wait(60)
        #expect(asked.count == 1)
        #expect(room.store.state == Hall())
    }

    @Test func `a check may keep it from the state, and is asked once`() {
        let room = loop.open(
            Hall.room.validate(ClientJoined.self) { _, _, sender in
                throw Rejection(.conflict, "Full, says \(sender.id).")
            })
        enter("ada", of: room).session.disconnected()
        wait(60)
        #expect(room.store.state == Hall())
        #expect(room.position.version == 0)
        #expect(room.isUntouched)
    }

    @Test func `a client id that comes to another identity is another one's presence`() {
        enter("").session.disconnected()
        wait(1)
        _ = enter("ada")
        #expect(
            room.store.state.diary == [" joined at 0.0", " left at 1.0", "ada joined at 1.0"])
    }

    @Test func `a room that nobody is in lets the time run before it may be forgotten`() {
        let room = loop.open(
            Hall.room.validate(ClientJoined.self) { _, _, _ in throw Rejection(.conflict, "No.") })
        enter("ada", of: room).session.disconnected()
        #expect(!room.isUntouched)
        wait(10)
        #expect(room.isUntouched)
    }
}
