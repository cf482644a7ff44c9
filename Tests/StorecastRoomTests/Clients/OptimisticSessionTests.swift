import Testing

@testable import StorecastMirror
@testable import StorecastRoom

/// What optimistic mirrors show through every order in which outcomes and values can come.
struct OptimisticSessionTests {
    let loop = TestLoop()
    let client: TestClient

    init() {
        client = TestClient(on: loop)
    }

    private func log(of client: TestClient) -> OptimisticMirror<[String]> {
        OptimisticMirror("log", on: client) { lines, action in
            if let write = action as? Write { lines.append(write.text) }
        }
    }

    private func tea(of client: TestClient) -> OptimisticMirror<Int> {
        OptimisticMirror("tea", on: client) { tea, action in
            if let add = action as? AddTea { tea += add.by }
        }
    }

    private func say(_ text: String) {
        let isFine = Array(text.utf8).withUnsafeBytes { client.session.receive($0) }
        #expect(isFine)
    }

    /// What is on its way to the server arrives, and its answers get lost.
    private func loseAnswers() {
        client.speak()
        while client.hasUnderway { client.arrive() }
        client.cut()
        loop.endTurn()
    }

    @Test func `an action shows at once, and once when the server has it`() throws {
        let log = log(of: client)
        client.connect(to: loop.open(Shop.room))
        client.settle()
        let outcome = log.dispatch(Write(text: "a"))
        #expect(log.shown == ["a"])
        client.settle()
        #expect(try outcome.settled?.get().version == 1)
        #expect(log.history == ["[]", #"["a"]"#])
    }

    @Test func `an action shows in every mirror of the client, whichever it came through`() {
        let (first, second) = (log(of: client), log(of: client))
        client.connect(to: loop.open(Shop.room))
        client.settle()
        first.dispatch(Write(text: "a"))
        client.dispatch(Write(text: "b"))
        #expect(first.shown == ["a", "b"])
        #expect(second.shown == ["a", "b"])
        client.settle()
        #expect(first.history == second.history)
    }

    @Test func `others' changes come in below, without the own action going away`() {
        let room = loop.open(Shop.room)
        let log = log(of: client)
        client.connect(to: room)
        client.settle()
        log.dispatch(Write(text: "mine"))
        room.dispatch(Write(text: "theirs"), DispatchOutcome())
        loop.endTurn()
        while client.wire?.messages.isEmpty == false { client.read() }
        #expect(log.shown == ["theirs", "mine"])
        client.settle()
        #expect(log.history == ["[]", #"["mine"]"#, #"["theirs", "mine"]"#])
    }

    @Test func `a reject takes the action back before its outcome is told`() {
        let room = loop.open(
            Shop.room.validate(Write.self) { _, write, _ in
                if write.text == "bad" { throw Rejection(.conflict, "No.") }
            })
        let log = log(of: client)
        client.connect(to: room)
        client.settle()
        log.dispatch(Write(text: "a"))
        let bad = log.dispatch(Write(text: "bad"))
        log.dispatch(Write(text: "b"))
        var settled: [Bool] = []
        client.optimistic.append { [unowned client] _ in
            if log.shown?.contains("bad") == false, client.session.pendingCount > 0 {
                settled.append(bad.settled != nil)
            }
        }
        client.settle()
        #expect(settled == [false])
        #expect(throws: Rejection(.conflict, "No.")) { try bad.settled?.get() }
        #expect(log.shown == ["a", "b"])
        #expect(log.history.last == #"["a", "b"]"#)
        #expect(log.history.dropFirst(4) == [#"["a", "b"]"#])
    }

    @Test func `R: settled by welcome, an action is shown until its own mirror has caught up`() {
        let room = loop.open(Shop.room)
        let (log, tea) = (log(of: client), tea(of: client))
        client.connect(to: room)
        client.settle()
        let outcomes = [log.dispatch(Write(text: "a")), tea.dispatch(AddTea(by: 2))]
        loseAnswers()
        #expect(room.position.version == 2)
        client.connect(to: room)
        client.speak()
        client.arrive()
        loop.endTurn()
        // The welcome says that both are settled; the mirrors are as old as before.
        client.read()
        #expect(log.shown == ["a"])
        #expect(tea.shown == 2)
        #expect(outcomes.allSatisfy { $0.settled == nil })
        client.settle()
        #expect(outcomes.allSatisfy { $0.settled != nil })
        #expect(log.history == ["[]", #"["a"]"#])
        #expect(tea.history == ["0", "2"])
    }

    @Test func `R: mirrors that catch up one after the other each show an action once`() {
        let (log, tea) = (log(of: client), tea(of: client))
        client.session.connected(token: nil)
        say(welcome(lastSeq: 0))
        subscribed(log.mirror, 1)
        subscribed(tea.mirror, 2)
        say(#"{"op":"snapshot","sub":1,"v":1,"value":[]}"#)
        say(#"{"op":"snapshot","sub":2,"v":1,"value":0}"#)
        let outcome = log.dispatch(Write(text: "a"))
        tea.dispatch(AddTea(by: 1))
        _ = client.session.nextMessage()
        client.session.disconnected()
        client.session.connected(token: nil)
        say(welcome(lastSeq: 2))
        subscribed(log.mirror, 1)
        subscribed(tea.mirror, 2)
        // The first has both; the version of its value is lower than that of the welcome.
        say(#"{"op":"patch","sub":1,"from":1,"v":2,"ops":[{"op":"add","path":"/0","value":"a"}]}"#)
        #expect(log.shown == ["a"])
        #expect(tea.shown == 1)
        #expect(outcome.settled == nil)
        tea.dispatch(AddTea(by: 10))
        #expect(tea.shown == 11)
        say(#"{"op":"snapshot","sub":2,"v":3,"value":1}"#)
        #expect(tea.shown == 11)
        #expect(outcome.settled != nil)
        #expect(log.history == ["[]", #"["a"]"#])
        #expect(tea.history == ["0", "1", "11"])
    }

    @Test func `R: acknowledged before its mirror was answered, an action isn't shown twice`() {
        let log = log(of: client)
        client.session.connected(token: nil)
        say(welcome(lastSeq: 0))
        subscribed(log.mirror, 1)
        say(#"{"op":"snapshot","sub":1,"v":1,"value":[]}"#)
        let outcome = log.dispatch(Write(text: "a"))
        _ = client.session.nextMessage()
        client.session.disconnected()
        client.session.connected(token: nil)
        say(welcome(lastSeq: 0))
        _ = client.session.nextMessage()
        subscribed(log.mirror, 1)
        say(#"{"op":"transaction","v":4,"count":0,"acked":1}"#)
        // The subscription isn't live, so the transaction says nothing about it.
        #expect(log.shown == ["a"])
        #expect(self.log(of: client).shown == ["a"])
        #expect(outcome.settled == nil)
        say(#"{"op":"snapshot","sub":1,"v":4,"value":["a"]}"#)
        #expect(outcome.settled != nil)
        #expect(log.history == ["[]", #"["a"]"#])
    }

    @Test func `R: a value that stays as it is holds an action whose outcome waits for another`() {
        let (log, tea) = (log(of: client), tea(of: client))
        client.session.connected(token: nil)
        say(welcome(lastSeq: 0))
        subscribed(log.mirror, 1)
        subscribed(tea.mirror, 2)
        say(#"{"op":"snapshot","sub":1,"v":1,"value":[]}"#)
        say(#"{"op":"snapshot","sub":2,"v":1,"value":5}"#)
        let outcome = tea.dispatch(AddTea(by: 2))
        _ = client.session.nextMessage()
        say(#"{"op":"lapse","sub":1,"code":"renewed"}"#)
        // Somebody else took away in the same turn what this one added.
        say(#"{"op":"transaction","v":3,"count":0,"acked":1}"#)
        #expect(outcome.settled == nil)
        #expect(tea.shown == 5)
        subscribed(log.mirror, 3)
        say(#"{"op":"snapshot","sub":3,"v":3,"value":[]}"#)
        #expect(outcome.settled != nil)
        #expect(tea.history == ["5", "7", "5"])
    }

    @Test func `R: a patch that comes with the acknowledgement shows the action once`() {
        let log = log(of: client)
        client.session.connected(token: nil)
        say(welcome(lastSeq: 0))
        subscribed(log.mirror, 1)
        say(#"{"op":"snapshot","sub":1,"v":1,"value":[]}"#)
        let outcome = log.dispatch(Write(text: "a"))
        _ = client.session.nextMessage()
        say(#"{"op":"transaction","v":3,"count":1,"acked":1}"#)
        #expect(outcome.settled == nil)
        let ops = #"[{"op":"add","path":"/0","value":"b"},{"op":"add","path":"/1","value":"a"}]"#
        say(#"{"op":"patch","sub":1,"from":1,"v":3,"ops":\#(ops)}"#)
        #expect(outcome.settled != nil)
        #expect(log.history == ["[]", #"["a"]"#, #"["b", "a"]"#])
    }

    @Test func `a new mirror doesn't hold up the outcomes of a client that makes more and more`() {
        let log = log(of: client)
        client.session.connected(token: nil)
        say(welcome(lastSeq: 0))
        subscribed(log.mirror, 1)
        say(#"{"op":"snapshot","sub":1,"v":1,"value":[]}"#)
        let outcome = log.dispatch(Write(text: "a"))
        _ = tea(of: client)
        _ = client.session.nextMessage()
        say(#"{"op":"transaction","v":2,"count":1,"acked":1}"#)
        say(#"{"op":"snapshot","sub":1,"v":2,"value":["a"]}"#)
        #expect(outcome.settled != nil)
    }

    @Test func `a new history that lost an action is sent it again, and it is shown all the while`()
        throws
    {
        let old = loop.open(Shop.room, seed: 1)
        let log = log(of: client)
        client.connect(to: old)
        client.settle()
        log.dispatch(Write(text: "lost"))
        client.settle()
        let outcome = log.dispatch(Write(text: "kept"))
        loseAnswers()
        let new = loop.open(Shop.room, seed: 2)
        client.connect(to: new)
        client.settle()
        #expect(try outcome.settled?.get() == Position(epoch: new.position.epoch, version: 1))
        #expect(
            log.history == ["[]", #"["lost"]"#, #"["lost", "kept"]"#, #"["kept"]"#])
    }

    @Test func `what is dispatched without a connection shows, and goes on showing`() {
        let room = loop.open(Shop.room)
        let log = log(of: client)
        client.connect(to: room)
        client.settle()
        client.cut()
        for text in ["a", "b"] { log.dispatch(Write(text: text)) }
        #expect(log.shown == ["a", "b"])
        #expect(client.session.pendingCount == 2)
        client.connect(to: room)
        client.settle()
        #expect(log.history == ["[]", #"["a"]"#, #"["a", "b"]"#])
        #expect(client.session.pendingCount == 0)
    }

    @Test func `closing takes back what has no outcome`() {
        let log = log(of: client)
        client.connect(to: loop.open(Shop.room))
        client.settle()
        let outcome = log.dispatch(Write(text: "a"))
        client.optimistic.append { _ in #expect(outcome.settled == nil) }
        client.session.close(Rejection(.closed, "Over."))
        #expect(log.shown == [])
        #expect(outcome.settled != nil)
    }

    @Test func `a provisional stamp has the final id`() throws {
        let stamps = ProvisionalStamps(client: .ada, sender: Identity("ada")) {
            Timestamp(secondsSince1970: 5)
        }
        let outbox = SharedOutbox(client: .ada, Outbox(stamps: stamps))
        let client = TestClient(ClientSession(outbox: outbox), on: loop)
        loop.authenticator = { _ in .success(Identity("ada")) }
        let room = loop.open(Shop.room)
        let notes = OptimisticMirror<[String]>("mine", on: client) { notes, action in
            if let sign = action as? Sign { notes.append(sign.stamp.id) }
        }
        client.connect(to: room)
        client.settle()
        var shown: [Stamp] = []
        for text in ["a", "b"] {
            client.dispatch(Sign(text: text)) { pending in
                shown += [(pending.action as? Sign)?.stamp].compactMap(\.self)
            }
        }
        client.settle()
        #expect(notes.history.count == 3)
        #expect(room.store.state.notes["ada"] == shown.map(\.id))
        #expect(shown.map(\.sender) == [Identity("ada"), Identity("ada")])
        #expect(shown.map(\.time.secondsSince1970) == [5, 5])
        #expect(shown[0].seed != shown[1].seed)
    }

    private func welcome(lastSeq: Int) -> String {
        #"""
        {"op":"welcome","proto":1,"epoch":"e","v":3,"lastSeq":\#(lastSeq),"heartbeat":30,"limits":
        {"message":10000,"window":9,"subscriptions":9,"depth":9},"server":"test"}
        """#
    }

    private func subscribed(_ mirror: Mirror, _ sub: Int) {
        say(#"{"op":"subscribed","ref":\#(mirror.ref),"sub":\#(sub),"tag":"t","bytes":2}"#)
    }
}
