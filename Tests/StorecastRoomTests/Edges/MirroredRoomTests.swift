import StorecastMirror
import StorecastWire
import Testing

@testable import StorecastRoom

/// Rooms at edges: what clients see, what reaches the owner, and what happens when connections end.
struct MirroredRoomTests {
    private func client(
        _ id: String, at edge: TestEdge, _ selections: [String] = ["tea"]
    ) -> (TestClient, [Mirror]) {
        let client = TestClient(id, on: edge.loop)
        client.connect(to: edge.room)
        return (client, selections.map { client.session.mirror($0, nil) })
    }

    @Test func `clients of two edges see one history, and their actions have effect once`() {
        let cluster = TestCluster()
        let (first, second) = (cluster.makeEdge(), cluster.makeEdge())
        let (ada, adas) = client(.ada, at: first)
        let (bob, bobs) = client(.bob, at: second)
        cluster.settle(ada, bob)
        #expect(adas[0].value == 0 && bobs[0].value == 0)
        let outcomes = [ada.dispatch(AddTea(by: 2)), bob.dispatch(AddTea(by: 3))]
        cluster.settle(ada, bob)
        #expect(adas[0].value == 5 && bobs[0].value == 5)
        #expect(outcomes.allSatisfy { $0.isSuccess == true })
        #expect(ada.session.position == cluster.room.position)
        #expect(ada.troubles + bob.troubles == [])
        #expect(cluster.edges.map(\.restarts) == [0, 0])
    }

    @Test func `the owner sends a change to an edge once, however many clients have it`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let clients = (0..<5).map { number in
            client("client-\(number)-0123456789", at: edge, ["tea", "log"])
        }
        cluster.settle(clients.map(\.0))
        _ = edge.takeHeard()
        clients[0].0.dispatch(AddTea(by: 1))
        cluster.settle(clients.map(\.0))
        let heard = edge.takeHeard()
        #expect(heard.count { $0.contains(#""sub""#) } == 1)
        #expect(heard.count { $0.contains(#""acked":1"#) } == 1)
        // All of it takes effect together.
        #expect(heard.count == 3)
        #expect(heard[0].contains(#""following":1"#))
        #expect(clients.allSatisfy { $0.1[0].value == 1 })
        // One subscription of the edge for each group, and those of the clients are only noted.
        #expect(cluster.room.liveGroups.map(\.subscriptions.count) == [1, 1])
        #expect(cluster.room.liveGroups.map(\.passedOn.count) == [5, 5])
    }

    @Test func `nobody hears that an action was reduced before what it did`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello(), #"{"op":"subscribe","ref":1,"select":"tea"}"#)
        while edge.exchange() {}
        _ = wire.hear()
        // What the edge is to be sent waits, in whatever order it comes up.
        edge.isWritable = false
        wire.dispatch(1, "AddTea", #"{"by":1}"#)
        _ = edge.exchange()
        wire.dispatch(2, "AddTea", #"{"by":1}"#)
        _ = edge.exchange()
        #expect(wire.hear() == [])
        edge.isWritable = true
        while edge.exchange() {}
        let frames = wire.hear()
        #expect(frames.first?["op"] == "transaction")
        #expect(frames.first?["acked"] == 2)
        #expect(frames.first?["count"] == 1)
        #expect(frames.last?["sub"] != nil)
    }

    @Test func `a client goes from an edge to another and to the owner, and is sent what changed`()
    {
        let cluster = TestCluster(Shop.room(from: Shop(log: (0..<100).map { "line \($0)" })))
        let (first, second) = (cluster.makeEdge(), cluster.makeEdge())
        let (ada, mirrors) = client(.ada, at: first, ["log"])
        cluster.settle(ada)
        let other = TestClient(.bob, on: cluster.owner)
        other.connect(to: cluster.room)
        for number in 1...6 {
            other.dispatch(Write(text: "more \(number)"))
            other.settle()
            // The second edge has nobody else, and lets go of the group between the visits.
            ada.cut()
            second.room.forgetLingering()
            let edge = number % 2 == 0 ? first : second
            ada.connect(to: edge.room, on: edge.loop)
            ada.speak()
            let revision = mirrors[0].revision
            cluster.settle(ada)
            #expect(
                mirrors[0].value == JSON.array(cluster.room.store.state.log.map { .string($0) }))
            #expect(mirrors[0].revision == revision + 1)
            #expect(mirrors[0].lastPatch != nil, "A whole value came at step \(number).")
        }
        #expect(ada.troubles == [])
    }

    @Test
    func `an edge that was told of several changes at once brings forward nobody from between`() {
        let cluster = TestCluster(Shop.room(from: Shop(log: (0..<100).map { "line \($0)" })))
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge, ["tea", "log"])
        cluster.settle(ada)
        let bob = TestClient(.bob, on: cluster.owner)
        bob.connect(to: cluster.room)
        let mirror = bob.session.mirror("log", nil)
        edge.isWritable = false
        for action in [AddTea(by: 1), Write(text: "a"), AddTea(by: 1)] as [any SyncAction] {
            bob.dispatch(action)
            bob.settle()
        }
        // What bob has now, the edge never hears of by itself.
        let seen = mirror.position?.version
        bob.cut()
        let other = TestClient(.eve, on: cluster.owner)
        other.connect(to: cluster.room)
        other.dispatch(Write(text: "b"))
        other.settle()
        edge.isWritable = true
        cluster.settle(ada)
        #expect(ada.session.position?.version == 4 && seen == 3)
        bob.connect(to: edge.room, on: edge.loop)
        cluster.settle(bob)
        #expect(mirror.value?.array?.suffix(2) == ["a", "b"])
        #expect(bob.troubles == [] && mirror.lastPatch == nil)
    }

    @Test func `what nobody has is kept for a while, and longer if somebody has it again`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge, [])
        let (bob, _) = client(.bob, at: cluster.makeEdge(), [])
        let first = ada.session.mirror("tea", nil)
        cluster.settle(ada, bob)
        ada.session.release(first)
        cluster.settle(ada, bob)
        let lingering = SyncLimits().lingerTime / .seconds(1)
        edge.loop.advance(by: lingering / 2)
        let second = ada.session.mirror("tea", nil)
        cluster.settle(ada, bob)
        // The time is over at which it would have been let go of.
        edge.loop.advance(by: lingering)
        cluster.settle(ada, bob)
        bob.dispatch(AddTea(by: 3))
        cluster.settle(ada, bob)
        #expect(second.value == 3)
        ada.session.release(second)
        cluster.settle(ada, bob)
        #expect(cluster.room.liveGroups.map(\.subscriptions.count) == [1])
        edge.loop.advance(by: 2 * lingering)
        cluster.settle(ada, bob)
        #expect(cluster.room.liveGroups.allSatisfy { $0.subscriptions.isEmpty })
    }

    @Test(arguments: [false, true])
    func `a value that comes when nobody wants it any more is kept no longer than others`(
        leaves: Bool
    ) {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello())
        while edge.exchange() {}
        wire.say(#"{"op":"subscribe","ref":1,"select":"tea"}"#)
        edge.speak(.max)
        cluster.owner.endTurn()
        // The owner has said that the client may have it, and the edge asks for the value.
        edge.hear(.max)
        if leaves {
            wire.session.disconnected()
        } else {
            wire.say(#"{"op":"unsubscribe","ref":1}"#)
        }
        while edge.exchange() {}
        #expect(cluster.room.liveGroups.map(\.subscriptions.count) == [1])
        edge.loop.advance(by: 2 * (SyncLimits().lingerTime / .seconds(1)))
        while edge.exchange() {}
        #expect(cluster.room.liveGroups.allSatisfy { $0.subscriptions.isEmpty })
    }

    @Test func `who subscribes is told the size of what changed while nobody had it`() {
        let cluster = TestCluster(Shop.room(from: Shop(log: (0..<100).map { "line \($0)" })))
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge, ["tea", "log"])
        cluster.settle(ada)
        ada.cut()
        cluster.settle()
        let other = TestClient(.eve, on: cluster.owner)
        other.connect(to: cluster.room)
        // The edge is sent the number as a whole, and a patch of the log.
        other.dispatch(AddTea(by: 123_456))
        other.dispatch(Write(text: "more"))
        other.settle()
        cluster.settle()
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(
            hello(.bob), #"{"op":"subscribe","ref":1,"select":"tea"}"#,
            #"{"op":"subscribe","ref":2,"select":"log"}"#)
        while edge.exchange() {}
        let log = JSON.array(cluster.room.store.state.log.map { .string($0) })
        let sizes = wire.hear().filter { $0.op == "subscribed" }.map { $0["bytes"]?.int }
        #expect(sizes == [6, log.encodedSize])
    }

    @Test func `a room that goes to another server ends the connections of edges, not of clients`()
    {
        let cluster = TestCluster()
        let (first, second) = (cluster.makeEdge(), cluster.makeEdge())
        let (ada, _) = client(.ada, at: first)
        let (bob, _) = client(.bob, at: second)
        let direct = Wire(1, to: "/a", on: cluster.owner)
        direct.say(hello(.eve))
        cluster.settle(ada, bob)
        cluster.room.leave("It goes elsewhere.")
        cluster.settle(ada, bob)
        #expect(cluster.edges.map(\.restarts) == [1, 1])
        #expect(ada.byes.isEmpty && bob.byes.isEmpty)
        #expect(direct.closeCode == .goingAway)
        #expect(cluster.owner.reports.count { $0.contains("It goes elsewhere.") } == 1)
    }

    @Test func `what didn't change is current at another edge`() {
        let cluster = TestCluster()
        let (first, second) = (cluster.makeEdge(), cluster.makeEdge())
        let (ada, mirrors) = client(.ada, at: first)
        cluster.settle(ada)
        ada.dispatch(AddTea(by: 1))
        cluster.settle(ada)
        let revision = mirrors[0].revision
        ada.cut()
        ada.connect(to: second.room, on: second.loop)
        cluster.settle(ada)
        #expect(mirrors[0].revision == revision)
        #expect(mirrors[0].value == 1)
    }

    @Test(arguments: [false, true])
    func `while the owner is away clients stay, and what they dispatched has effect once`(
        arrives: Bool
    ) {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, mirrors) = client(.ada, at: edge)
        cluster.settle(ada)
        let first = ada.dispatch(AddTea(by: 1))
        let second = ada.dispatch(AddTea(by: 10))
        ada.speak()
        ada.arrive()
        edge.loop.endTurn()
        // Whether it came to the owner isn't known; the answers are lost in any case.
        edge.cut(delivers: arrives)
        cluster.owner.endTurn()
        #expect(cluster.room.store.state.tea == (arrives ? 11 : 0))
        let third = ada.dispatch(AddTea(by: 100))
        cluster.settle(ada)
        #expect(ada.wire?.closeCode == nil)
        #expect(third.isSuccess == nil)
        edge.connect()
        cluster.settle(ada)
        edge.loop.advance(by: 2)
        cluster.settle(ada)
        #expect(cluster.room.store.state.tea == 111)
        #expect(mirrors[0].value == 111)
        #expect([first, second, third].allSatisfy { $0.isSuccess == true })
        #expect(ada.wire?.closeCode == nil)
        #expect(ada.troubles == [] && ada.byes.isEmpty)
    }

    @Test func `what was rejected meanwhile is told as rejected`() {
        let room = Shop.room.validate(AddTea.self) { shop, add, _ in
            guard shop.tea + add.by <= 3 else { throw Rejection(.conflict, "Too much tea.") }
        }
        let cluster = TestCluster(room)
        let edge = cluster.makeEdge()
        let (ada, mirrors) = client(.ada, at: edge)
        cluster.settle(ada)
        let outcomes = [3, 1, 0].map { ada.dispatch(AddTea(by: $0)) }
        ada.speak()
        ada.arrive()
        edge.loop.endTurn()
        edge.cut(delivers: true)
        cluster.owner.endTurn()
        edge.connect()
        cluster.settle(ada)
        #expect(outcomes.map { $0.isSuccess } == [true, false, true])
        #expect(mirrors[0].value == 3)
        #expect(edge.loop.reports == [] && edge.restarts == 0)
    }

    @Test func `what came before a rejection is acked at the version that it led to`() {
        let room = Shop.room.validate(AddTea.self) { shop, add, _ in
            guard shop.tea + add.by <= 3 else { throw Rejection(.conflict, "Too much tea.") }
        }
        let cluster = TestCluster(room)
        let edge = cluster.makeEdge()
        // Without a selection nothing else tells the edge of versions.
        let (ada, _) = client(.ada, at: edge, [])
        cluster.settle(ada)
        let outcomes = [1, 9].map { ada.dispatch(AddTea(by: $0)) }
        cluster.settle(ada)
        #expect(outcomes[0].settled == .success(cluster.room.position))
        #expect(outcomes[1].rejection?.code == .conflict)
        #expect(cluster.room.position.version == 1)
    }

    @Test func `an owner that begins a new epoch has clients come back, which hear of it`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, mirrors) = client(.ada, at: edge)
        cluster.settle(ada)
        ada.dispatch(AddTea(by: 1))
        cluster.settle(ada)
        let other = TestCluster(
            Shop.room(from: Shop(tea: 7)), journal: MemoryJournal(random: SeededGenerator(seed: 5)))
        edge.cut()
        edge.move(to: other.owner)
        cluster.settle(ada)
        #expect(ada.byes.map(\.code) == ["going-away"])
        ada.connect(to: edge.room)
        cluster.settle(ada)
        #expect(mirrors[0].value == 7)
        // The new history is shorter than the old one was.
        #expect(ada.session.position == other.room.position)
        edge.cut()
        edge.connect()
        cluster.settle(ada)
        #expect(edge.room.position == other.room.position)
        #expect(edge.restarts == 0 && ada.byes.count == 1)
    }

    @Test func `who was told what the log has lost comes back, and only once`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, mirrors) = client(.ada, at: edge)
        cluster.settle(ada)
        ada.dispatch(AddTea(by: 1))
        cluster.settle(ada)
        // The same history up to there, of which the next owner's journal has lost Ada's dispatch;
        // somebody else's has made the version the same.
        let other = TestCluster()
        let (bob, _) = client(.bob, at: other.makeEdge())
        other.settle(bob)
        bob.dispatch(AddTea(by: 2))
        other.settle(bob)
        #expect(other.room.position == cluster.room.position)
        edge.cut()
        edge.move(to: other.owner)
        cluster.settle(ada)
        #expect(ada.byes.map(\.code) == ["going-away"])
        ada.connect(to: edge.room)
        cluster.settle(ada)
        let outcome = ada.dispatch(AddTea(by: 4))
        cluster.settle(ada)
        #expect(outcome.isSuccess == true)
        #expect(mirrors[0].value == 6)
        edge.cut()
        edge.connect()
        cluster.settle(ada)
        #expect(edge.restarts == 0 && ada.byes.count == 1)
    }

    @Test func `clients are told of the term in which the owner goes on`() {
        let journal = TestJournal(isImmediate: true)
        journal.term = "first"
        let cluster = TestCluster(journal: journal)
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        #expect(ada.session.term == "first")
        cluster.room.log.begin("second")
        edge.cut()
        edge.connect()
        cluster.settle(ada)
        #expect(ada.session.term == "second")
        #expect(edge.restarts == 0 && ada.byes.isEmpty)
    }

    // MARK: Who may what

    @Test func `the owner's rules hold for clients of edges`() {
        let room = Shop.room
            .allow(Shop.tea) { shop, _, viewer in shop.tea < 2 || viewer.id == "ada" }
            .allow(Shop.log, .roles("reader"))
            .allow(AddTea.self, .roles("writer"))
            .allowEntry(.when { _, identity in identity.id != "eve" })
            .allowAll(.open)
        let cluster = TestCluster(room)
        let edge = cluster.makeEdge()
        func come(_ id: String, _ identity: Identity, _ selections: [String]) -> (
            TestClient, [Mirror]
        ) {
            edge.loop.authenticator = { _ in .success(identity) }
            let (client, mirrors) = client(id, at: edge, selections)
            cluster.settle(client)
            return (client, mirrors)
        }
        let (ada, adas) = come(.ada, Identity("ada", roles: ["writer"]), ["tea", "log"])
        let (bob, bobs) = come(.bob, Identity("bob", roles: ["reader"]), ["tea", "log"])
        let (eve, _) = come(.eve, Identity("eve"), ["tea"])
        #expect(adas[0].value == 0 && adas[1].failure?.code == .forbidden)
        #expect(bobs[0].value == 0 && bobs[1].value == [])
        #expect(eve.byes.map(\.code) == ["forbidden"])
        let outcome = bob.dispatch(AddTea(by: 1))
        cluster.settle(ada, bob)
        #expect(outcome.rejection?.code == .forbidden)
        ada.dispatch(AddTea(by: 2))
        cluster.settle(ada, bob)
        // It may not have it any more; the other one still may, and has it from the same group.
        #expect(bobs[0].failure?.code == .forbidden && bobs[0].value == 0)
        #expect(adas[0].value == 2)
        ada.dispatch(AddTea(by: 1))
        cluster.settle(ada, bob)
        #expect(adas[0].value == 3 && bobs[0].value == 0)
    }

    @Test func `whoever may not have a value isn't sent it, though the connection fails over that`()
    {
        let cluster = TestCluster(
            Shop.room.allow(Shop.tea) { shop, _, _ in shop.tea < 2 }.allowAll(.open))
        let edge = cluster.makeEdge()
        let (ada, adas) = client(.ada, at: edge)
        let (bob, bobs) = client(.bob, at: edge)
        cluster.settle(ada, bob)
        cluster.room.dispatch(AddTea(by: 2), DispatchOutcome())
        cluster.owner.endTurn()
        // The first lapse can't be confirmed.
        edge.takes = false
        edge.hear(.max)
        edge.takes = true
        #expect(edge.restarts == 1)
        for client in [ada, bob] { client.settle() }
        #expect(adas[0].value == 0 && bobs[0].value == 0)
        edge.connect()
        cluster.settle(ada, bob)
        #expect(adas[0].failure?.code == .forbidden && bobs[0].failure?.code == .forbidden)
    }

    @Test func `what a newer token ends before the client knows of it is asked for again`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        edge.loop.authenticator = { token in
            .success(Identity("ada", roles: token == "more" ? ["reader"] : []))
        }
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello())
        while edge.exchange() {}
        wire.say(
            #"{"op":"subscribe","ref":1,"select":"mine"}"#,
            #"{"op":"authenticate","token":"more"}"#)
        while edge.exchange() {}
        let heard = wire.hear()
        #expect(heard.first("error") == nil)
        #expect(heard.first("snapshot")?["value"] == [])
    }

    @Test func `who is another to the owner after a reconnect isn't left with the others' value`() {
        let rank = Selection("rank") { (_: Shop, me: Identity) in
            me.roles.contains("reader") ? "reader" : "guest"
        }
        let cluster = TestCluster(
            RoomDefinition(
                state: Shop(), actions: [AddTea.self], selections: [rank], reducer: Shop.reduce))
        let edge = cluster.makeEdge()
        edge.loop.authenticator = { token in
            .success(Identity("ada", roles: token == "more" ? ["reader"] : []))
        }
        let wires = [String.ada, .bob].map { id in
            let wire = Wire(to: edge.room, on: edge.loop)
            wire.say(hello(id), #"{"op":"subscribe","ref":1,"select":"rank"}"#)
            return wire
        }
        while edge.exchange() {}
        for wire in wires { #expect(wire.hear().first("snapshot")?["value"] == "guest") }
        // Both are the same user with the same roles.
        #expect(edge.room.groups.count == 1)
        edge.cut()
        wires[1].say(#"{"op":"authenticate","token":"more"}"#)
        edge.connect()
        while edge.exchange() {}
        #expect(wires[0].hear().first("lapse") == nil)
        #expect(wires[1].hear().first("lapse")?["code"] == "renewed")
        wires[1].say(#"{"op":"subscribe","ref":2,"select":"rank"}"#)
        while edge.exchange() {}
        #expect(wires[1].hear().first("snapshot")?["value"] == "reader")
        #expect(edge.restarts == 0 && edge.loop.reports == [])
    }

    @Test func `a newer token ends all refs of a selection, and none is asked for again`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        edge.loop.authenticator = { token in
            .success(Identity("ada", roles: token == "more" ? ["reader"] : []))
        }
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(
            hello(), #"{"op":"subscribe","ref":1,"select":"mine"}"#,
            #"{"op":"subscribe","ref":2,"select":"mine"}"#)
        while edge.exchange() {}
        #expect(wire.hear().filter { $0.op == "subscribed" }.count == 2)
        wire.say(#"{"op":"authenticate","token":"more"}"#)
        while edge.exchange() {}
        #expect(wire.hear().first("lapse")?["code"] == "renewed")
        // What is kept for a while isn't asked for again.
        edge.cut()
        edge.connect()
        while edge.exchange() {}
        #expect(cluster.room.liveGroups.isEmpty)
    }

    @Test func `what is too long for the owner ends only the connection of who says it`() {
        var limits = SyncLimits()
        limits.messageBytes = 1024
        let cluster = TestCluster(limits: limits)
        let edge = cluster.makeEdge()
        let (ada, adas) = client(.ada, at: edge)
        cluster.settle(ada)
        let wire = Wire(to: edge.room, on: edge.loop)
        // What nobody needs isn't passed on.
        let start = #"{"op":"hello","proto":1,"client":"0123456789abcdef","seen":{"v":1,"epoch":""#
        let text = start + String(repeating: "e", count: 1024 - start.utf8.count - 3) + #""}}"#
        #expect(text.utf8.count == 1024)
        wire.say(text)
        cluster.settle(ada)
        #expect(wire.closeCode == nil && wire.hear().ops == ["welcome"])
        ada.dispatch(AddTea(by: 1))
        cluster.settle(ada)
        #expect(adas[0].value == 1 && edge.restarts == 0)
    }

    @Test func `a selection that depends on the viewer is each one's own`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        var clients: [(TestClient, [Mirror])] = []
        for (id, name) in [(String.ada, "ada"), (.bob, "bob")] {
            edge.loop.authenticator = { _ in .success(Identity(name)) }
            clients.append(client(id, at: edge, ["mine"]))
            cluster.settle(clients.map(\.0))
        }
        #expect(clients.map { $0.1[0].failure } == [nil, nil])
        #expect(clients.map { $0.0.byes.count } == [0, 0])
        clients[0].0.dispatch(Sign(text: "mine"))
        cluster.settle(clients.map(\.0))
        #expect(clients[0].1[0].value?.array?.count == 1)
        #expect(clients[1].1[0].value == [])
    }

    @Test func `a newer token's identity reaches the owner`() {
        let cluster = TestCluster(Shop.room.allow(Shop.log, .roles("reader")).allowAll(.open))
        let edge = cluster.makeEdge()
        edge.loop.authenticator = { token in
            .success(Identity("ada", roles: token == "more" ? ["reader"] : []))
        }
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello(), #"{"op":"subscribe","ref":1,"select":"log"}"#)
        while edge.exchange() {}
        #expect(wire.hear().first("error")?["code"] == "forbidden")
        wire.say(
            #"{"op":"authenticate","token":"more"}"#,
            #"{"op":"subscribe","ref":1,"select":"log"}"#)
        while edge.exchange() {}
        #expect(wire.hear().first("snapshot")?["value"] == [])
        wire.say(#"{"op":"authenticate","token":"less"}"#)
        while edge.exchange() {}
        #expect(wire.hear().first("lapse")?["code"] == "forbidden")
    }

    @Test func `a client id is of one identity, whichever server it comes to`() {
        let cluster = TestCluster()
        let (first, second) = (cluster.makeEdge(), cluster.makeEdge())
        for edge in [first, second] {
            edge.loop.authenticator = { _ in .success(Identity(edge === first ? "ada" : "eve")) }
        }
        let (ada, _) = client(.ada, at: first)
        cluster.settle(ada)
        ada.dispatch(AddTea(by: 1))
        cluster.settle(ada)
        let (eve, _) = client(.ada, at: second)
        cluster.settle(eve)
        #expect(eve.byes.map(\.code) == ["forbidden"])
        second.loop.authenticator = { _ in .success(Identity("ada")) }
        let (again, _) = client(.ada, at: second)
        cluster.settle(ada, again)
        // The older connection, at the other edge, is told.
        #expect(ada.byes.map(\.code) == ["replaced"])
        #expect(again.byes.isEmpty)
    }

    @Test func `whom the owner sends away is told when to come again`() {
        let cluster = TestCluster()
        let (ada, _) = client(.ada, at: cluster.makeEdge())
        cluster.settle(ada)
        for session in cluster.room.sessions.values where session.isPassedOn {
            session.close(.full, "Come later.", after: 4, jitter: 3)
        }
        cluster.settle(ada)
        #expect(
            ada.byes == [
                ServerFrame.Bye(
                    code: "full", title: "Come later.", reconnect: true, after: 4, jitter: 3)
            ])
    }

    @Test func `who isn't known as an edge isn't let in as one`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge(key: "wrong")
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        // The client can't help it, and comes again.
        #expect(ada.byes.map(\.code) == ["internal"])
        #expect(edge.room.hasFailed && edge.isClosed)
        #expect(
            edge.loop.reports == [
                "The upstream refuses this edge: No edge with this key is let in."
            ])
        let wire = Wire(1, to: "/a", on: cluster.owner)
        wire.say(hello(.bob), #"{"op":"mirror","ref":1,"sub":1}"#)
        #expect(wire.hear().last?["code"] == "unknown-op")
        // Without a key there are no edges.
        cluster.owner.edgeKey = nil
        let other = Wire(2, to: "/a", on: cluster.owner)
        other.say(hello(.eve, #","edge":1"#))
        #expect(other.closeCode == .unauthenticated)
    }

    @Test func `a path without a room has none at an edge`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge(at: "/none")
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        #expect(ada.byes.map(\.code) == ["no-room"])
        #expect(edge.loop.reports == [], "Anybody may ask for any path.")
    }

    @Test func `while another owner may have the room, clients wait for it`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge(at: "/none")
        edge.hasOwners = true
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        #expect(edge.reclaims == 1 && ada.byes.isEmpty)
        // It is where it was: the room isn't there, and that has to be said in the end.
        for _ in 0..<10 where ada.byes.isEmpty {
            edge.connect()
            cluster.settle(ada)
        }
        #expect(edge.reclaims == 6)
        #expect(ada.byes.map(\.code) == ["no-room"])
    }

    @Test func `a room that moves often isn't given up, as long as its owner is found each time`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        edge.hasOwners = true
        let former = TestLoop()
        former.edgeKey = "key"
        former.maker = { _ in nil }
        let (ada, _) = client(.ada, at: edge)
        for moves in 1...8 {
            edge.move(to: former)
            cluster.settle(ada)
            #expect(edge.reclaims == moves)
            edge.move(to: cluster.owner)
            cluster.settle(ada)
            #expect(ada.byes.isEmpty)
        }
    }

    @Test func `one of several owners that refuses an edge is named`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge(key: "wrong")
        edge.ownerName = "the server a at ws://a:1"
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        #expect(
            edge.loop.reports == [
                "The upstream, the server a at ws://a:1, refuses this edge: No edge with this key is "
                    + "let in."
            ])
    }

    @Test(arguments: [
        "99999999999999999 {}", "1x", #"{"op":"subscribe","ref":1,"select":"tea"}"#,
        #"{"op":"dispatch","seq":1,"base":0,"action":{"type":"AddTea","payload":{"by":1}}}"#,
    ])
    func `an edge that says what it may not is closed, with its clients`(text: String) {
        let cluster = TestCluster()
        let wire = Wire(7, to: "/a", on: cluster.owner)
        wire.say(hello(.eve, #","edge":1,"token":"key""#))
        wire.say(
            #"1 {"op":"hello","proto":1,"client":"\#(String.ada)","identity":{"id":"a","roles":[]}}"#
        )
        #expect(cluster.room.sessionCount == 1)
        wire.say(text)
        #expect(wire.closeCode == .protocolViolation)
        #expect(cluster.room.sessionCount == 0)
        #expect(cluster.room.store.state.tea == 0)
    }

    /// The edge says it on both connections, and the room may be told of the first one's last.
    @Test(arguments: ["", #","connection":4"#])
    func `what an edge said on a connection that it gave up replaces none of its clients`(
        number: String
    ) {
        let cluster = TestCluster()
        // The later connection is accepted first.
        let later = Wire(7, to: "/a", on: cluster.owner)
        let wires = [Wire(8, to: "/a", on: cluster.owner), later]
        wires[1].say(hello(.eve, #","connection":2,"edge":1,"token":"key""#))
        wires[0].say(hello(.eve, #","connection":1,"edge":1,"token":"key""#))
        let client = "1 " + hello(.ada, number + #","identity":{"id":"a","roles":[]}"#)
        wires[1].say(client)
        wires[0].say(client)
        func heard(_ wire: Int) -> [String] {
            wires[wire].hearMessages().map { String(decoding: $0.text, as: UTF8.self) }
        }
        #expect(heard(0).last?.hasPrefix(#"1 {"op":"bye","code":"replaced""#) == true)
        #expect(heard(1).last?.hasPrefix(#"1 {"op":"welcome""#) == true)
        wires[1].say("1 " + dispatchFrame(1, "AddTea", #"{"by":1}"#))
        #expect(cluster.room.store.state.tea == 1 && cluster.room.sessionCount == 1)
        // Another edge, to which the client has gone, is none of these connections.
        let other = Wire(9, to: "/a", on: cluster.owner)
        other.say(hello(.bob, #","connection":1,"edge":1,"token":"key""#))
        other.say(client)
        #expect(heard(1).last?.hasPrefix(#"1 {"op":"bye","code":"replaced""#) == true)
    }

    @Test func `an edge numbers its connections`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge)
        var numbers: [UInt64?] = []
        for _ in 0..<3 {
            edge.connect()
            cluster.settle(ada)
            numbers.append(cluster.room.sessionsInOrder.first?.link?.edge?.trunk.connection)
            edge.cut()
        }
        #expect(numbers == [1, 2, 3])
    }

    @Test func `an edge can't have what none of its clients has`() {
        let cluster = TestCluster(Shop.room.allow(Shop.tea, .roles("r")).allowAll(.open))
        let local = Wire(1, to: "/a", on: cluster.owner)
        cluster.owner.authenticator = { _ in .success(Identity("x", roles: ["r"])) }
        local.say(hello(.bob), #"{"op":"subscribe","ref":1,"select":"tea"}"#)
        let sub = local.hear().first("subscribed")?["sub"]?.int
        let wire = Wire(7, to: "/a", on: cluster.owner)
        wire.say(
            hello(.eve, #","edge":1,"token":"key""#), #"{"op":"mirror","ref":1,"sub":\#(sub ?? 0)}"#
        )
        #expect(wire.hear().last?["code"] == "bad-ref")
    }

    /// An edge of which two clients have the selection `tea`, and what it is told.
    private func edgeWithTea(_ cluster: TestCluster) -> (Wire, sub: UInt64) {
        let wire = Wire(7, to: "/a", on: cluster.owner)
        wire.say(hello(.eve, #","edge":1,"token":"key""#))
        for (number, client) in [(1, String.ada), (2, .bob)] {
            wire.say(
                "\(number) " + hello(client, #","identity":{"id":"","roles":[]}"#),
                #"\#(number) {"op":"subscribe","ref":1,"select":"tea"}"#)
        }
        return (wire, cluster.room.liveGroups.first?.sub ?? 0)
    }

    /// What an edge is told when it asks for a group.
    private func mirror(_ sub: UInt64, _ ref: Int, _ wire: Wire) -> String {
        _ = wire.hearMessages()
        wire.say(#"{"op":"mirror","ref":\#(ref),"sub":\#(sub)}"#)
        return wire.hearMessages().map { String(decoding: $0.text, as: UTF8.self) }.joined()
    }

    @Test(arguments: [#" {"op":"unsubscribe","ref":1}"#, ""])
    func `an edge can have a group until the last of its clients lets go of it, or leaves`(
        rest: String
    ) {
        let cluster = TestCluster()
        let (wire, sub) = edgeWithTea(cluster)
        wire.say("1" + rest)
        #expect(mirror(sub, 1, wire).contains(#""op":"subscribed""#))
        wire.say(#"{"op":"unsubscribe","ref":1}"#)
        wire.say("2" + rest)
        #expect(mirror(sub, 2, wire).contains(#""code":"bad-ref""#))
    }

    @Test func `an edge can't have any more what its clients may not have any more`() {
        let cluster = TestCluster(
            Shop.room.allow(Shop.tea) { shop, _, _ in shop.tea < 2 }.allowAll(.open))
        let (wire, sub) = edgeWithTea(cluster)
        #expect(mirror(sub, 1, wire).contains(#""op":"subscribed""#))
        cluster.room.dispatch(AddTea(by: 2), DispatchOutcome())
        cluster.owner.endTurn()
        wire.say(#"{"op":"unsubscribe","ref":1}"#)
        #expect(mirror(sub, 2, wire).contains(#""code":"bad-ref""#))
    }

    @Test func `a client isn't shown what it may not have any more, however late it hears of that`()
    {
        let room = Shop.room.allow(Shop.tea) { shop, _, viewer in
            viewer.id == "ada" || shop.tea < 2
        }.allowAll(.open)
        let cluster = TestCluster(room)
        let edge = cluster.makeEdge()
        var clients: [(TestClient, [Mirror])] = []
        for (id, name) in [(String.ada, "ada"), (.bob, "bob")] {
            edge.loop.authenticator = { _ in .success(Identity(name)) }
            clients.append(client(id, at: edge))
            cluster.settle(clients.map(\.0))
        }
        clients[0].0.dispatch(AddTea(by: 2))
        clients[0].0.speak()
        clients[0].0.arrive()
        edge.loop.endTurn()
        edge.speak(.max)
        cluster.owner.endTurn()
        // One message after the other, with a turn of the edge behind each.
        while edge.hear(1) {
            for (client, _) in clients {
                while client.wire?.messages.isEmpty == false { client.read() }
            }
            #expect(clients[1].1[0].value == 0)
        }
        #expect(clients[0].1[0].value == 2)
        #expect(clients[1].1[0].failure?.code == .forbidden)
        // The same when that was decided while the edge was away.
        clients[0].0.dispatch(AddTea(by: -2))
        cluster.settle(clients.map(\.0))
        clients[1].1 = [
            clients[1].0.session.mirror("line", 0), clients[1].0.session.mirror("tea", nil),
        ]
        cluster.settle(clients.map(\.0))
        edge.cut()
        let local = TestClient(.eve, on: cluster.owner)
        local.connect(to: cluster.room)
        local.dispatch(AddTea(by: 5))
        local.settle()
        edge.connect()
        cluster.settle(clients.map(\.0))
        #expect(clients[0].1[0].value == 5)
        #expect(clients[1].1[1].value != 5)
    }

    @Test func `a room that has begun with another schema is asked for anew`() {
        let journal = TestJournal(isImmediate: true)
        let cluster = TestCluster(journal: journal)
        let edge = cluster.makeEdge()
        let (ada, mirrors) = client(.ada, at: edge)
        cluster.settle(ada)
        ada.dispatch(AddTea(by: 1))
        cluster.settle(ada)
        var changed = Shop.room
        changed.revision = "another"
        let next = TestCluster(changed, journal: journal)
        edge.move(to: next.owner)
        cluster.settle(ada)
        #expect(mirrors[0].value == 1)
        #expect(ada.dispatch(AddTea(by: 1)).isSuccess == nil)
        cluster.settle(ada)
        #expect(mirrors[0].value == 2)
        #expect(edge.restarts == 0 && edge.loop.reports == [])
    }

    @Test func `a selection that comes back in another form isn't taken for the old one`() {
        let journal = TestJournal(isImmediate: true)
        let cluster = TestCluster(journal: journal)
        let edge = cluster.makeEdge()
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello(), #"{"op":"subscribe","ref":1,"select":"tea"}"#)
        while edge.exchange() {}
        wire.dispatch(1, "AddTea", #"{"by":1}"#)
        while edge.exchange() {}
        let before = wire.hear().first("subscribed")?["tag"]
        let cups = Selection("tea") { (shop: Shop) in "\(shop.tea) cups" }
        var changed = RoomDefinition(
            state: Shop(), actions: [AddTea.self], selections: [cups], reducer: Shop.reduce)
        changed.revision = "another"
        let next = TestCluster(changed, journal: journal)
        edge.move(to: next.owner)
        while edge.exchange() {}
        let heard = wire.hear()
        #expect(heard.first("lapse")?["code"] == "renewed")
        #expect(heard.first("patch") == nil && heard.first("snapshot") == nil)
        wire.say(#"{"op":"subscribe","ref":2,"select":"tea"}"#)
        while edge.exchange() {}
        let anew = wire.hear()
        #expect(anew.first("snapshot")?["value"] == "1 cups")
        let after = anew.first("subscribed")?["tag"]
        #expect(before != nil && after != nil && before != after)
        #expect(edge.restarts == 0 && edge.loop.reports == [])
    }

    @Test func `one client too many is refused alone`() {
        var limits = SyncLimits()
        limits.connections = 2
        let owner = TestLoop(limits: limits)
        owner.edgeKey = "key"
        let room = owner.open(Shop.room, at: "/a", limits: limits)
        owner.maker = { _ in room }
        let wire = Wire(7, to: "/a", on: owner)
        wire.say(hello(.eve, #","edge":1,"token":"key""#))
        for number in 1...3 {
            let client = "client-\(number)-0123456789"
            wire.say(
                #"\#(number) {"op":"hello","proto":1,"client":"\#(client)","identity":{"id":"","roles":[]}}"#
            )
        }
        #expect(wire.closeCode == nil)
        let heard = wire.hearMessages().map { String(decoding: $0.text, as: UTF8.self) }
        #expect(heard.count { $0.contains("welcome") } == 3)
        #expect(heard.last?.hasPrefix(#"3 {"op":"bye","code":"full""#) == true)
    }

    @Test func `the clients of all edges are counted together`() {
        var limits = SyncLimits()
        limits.connections = 2
        let cluster = TestCluster(limits: limits)
        let edges = (7...8).map { Wire($0, to: "/a", on: cluster.owner) }
        for (place, edge) in edges.enumerated() {
            edge.say(hello("edge-\(place)-0123456789abc", #","edge":1,"token":"key""#))
        }
        /// Whether a client of one of the edges is let in, or what it is told.
        func comes(_ number: Int, to edge: Int) -> String? {
            _ = edges[edge].hearMessages()
            let text = hello(
                "client-\(edge)-\(number)-0123456789", #","identity":{"id":"","roles":[]}"#)
            edges[edge].say("\(number) \(text)")
            let heard = edges[edge].hearMessages().map { String(decoding: $0.text, as: UTF8.self) }
            return ["welcome", "full"].first { word in heard.contains { $0.contains(word) } }
        }
        #expect(comes(1, to: 0) == "welcome")
        #expect(comes(1, to: 1) == "welcome")
        #expect(comes(2, to: 0) == "full")
        #expect(comes(2, to: 1) == "full")
        edges[0].say("1")
        #expect(comes(2, to: 1) == "welcome")
        // With an edge all of its clients have gone.
        cluster.owner.rooms.end(8)
        #expect(comes(3, to: 0) == "welcome")
        #expect(comes(4, to: 0) == "welcome")
        #expect(comes(5, to: 0) == "full")
        #expect(edges[0].closeCode == nil)
    }

    @Test(arguments: [(size: 600, count: 100), (size: 0, count: 1000)])
    func `a client that floods is ended alone, before much of it waits at the owner`(
        size: Int, count: Int
    ) {
        var limits = SyncLimits()
        limits.turnWork = 1
        limits.pendingBytes = 20_000
        limits.messageBytes = 1000
        let cluster = TestCluster(limits: limits)
        func endTurns() { for _ in 0..<20 { cluster.owner.endTurn() } }
        let wire = Wire(7, to: "/a", on: cluster.owner)
        wire.say(hello(.eve, #","edge":1,"token":"key""#))
        endTurns()
        for number in 1...2 {
            let client = "client-\(number)-0123456789"
            wire.say("\(number) " + hello(client, #","identity":{"id":"","roles":[]}"#))
        }
        endTurns()
        // By then all have shown that they make little work.
        cluster.owner.advance(by: 1)
        endTurns()
        #expect(wire.session.isLight)
        let ping = #"1 {"op":"ping","more":"\#(String(repeating: "x", count: size))"}"#
        var most = 0
        for _ in 0..<count {
            wire.push(Array(ping.utf8))
            most = max(most, cluster.owner.rooms.gauges.waitingMessages)
        }
        #expect(most > 10_000 && most <= 20_000)
        #expect(wire.session.isLight, "It is the client's work, not its edge's.")
        wire.push(Array("2 \(dispatchFrame(1, "AddTea", #"{"by":1}"#))".utf8))
        endTurns()
        let heard = wire.hearMessages().map { String(decoding: $0.text, as: UTF8.self) }
        #expect(heard.contains { $0.hasPrefix(#"1 {"op":"bye","code":"busy""#) })
        #expect(heard.contains { $0.hasPrefix("2 ") && $0.contains(#""acked":1"#) })
        #expect(wire.closeCode == nil && cluster.room.store.state.tea == 1)
    }

    @Test(arguments: ["leaves", "lets go"])
    func `who doesn't wait for a value any more isn't remembered until it comes`(how: String) {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let wires = [String.ada, .bob].map { client in
            let wire = Wire(to: edge.room, on: edge.loop)
            wire.say(hello(client))
            return wire
        }
        while edge.exchange() {}
        for wire in wires { wire.say(#"{"op":"subscribe","ref":1,"select":"tea"}"#) }
        edge.speak(.max)
        cluster.owner.endTurn()
        // Both may have it, and the edge asks for the value.
        edge.hear(.max)
        func waiting() -> [Int] { edge.room.groups.values.map(\.waiting.count) }
        #expect(waiting() == [2])
        if how == "leaves" {
            wires[0].session.disconnected()
        } else {
            wires[0].say(#"{"op":"unsubscribe","ref":1}"#)
        }
        #expect(waiting() == [1])
        while edge.exchange() {}
        #expect(waiting() == [0])
        #expect(wires[1].hear().contains { $0.op == "snapshot" })
    }

    @Test func `an edge that doesn't take what its clients are told isn't told for ever`() {
        var limits = SyncLimits()
        limits.connections = 20
        let cluster = TestCluster(limits: limits)
        let wire = Wire(7, to: "/a", on: cluster.owner)
        wire.say(hello(.eve, #","edge":1,"token":"key""#))
        // Each ends with its first message.
        for _ in 0..<3 {
            for number in 1...20 { wire.say("\(number) {}") }
            wire.isWritable = false
            for number in 1...20 { wire.say("\(number) {}") }
            #expect(wire.closeCode == nil)
            wire.resume()
        }
        let heard = wire.hearMessages().map { String(decoding: $0.text, as: UTF8.self) }
        #expect(heard.count { $0.contains(#""code":"protocol-violation""#) } == 3 * 40)
        wire.isWritable = false
        for number in 1...100 where wire.closeCode == nil { wire.say("\(number) {}") }
        #expect(wire.closeCode == .busy)
    }

    @Test func `a client that has left, or that the owner has closed, makes room for another`() {
        var limits = SyncLimits()
        limits.connections = 2
        let cluster = TestCluster(limits: limits)
        let wire = Wire(7, to: "/a", on: cluster.owner)
        wire.say(hello(.eve, #","edge":1,"token":"key""#))
        /// Whether a client of the edge is let in.
        func comes(_ number: Int, as client: Int) -> Bool {
            let text = hello(
                "client-\(client)-0123456789", #","identity":{"id":"","roles":[]}"#)
            wire.say("\(number) \(text)")
            let heard = wire.hearMessages().map { String(decoding: $0.text, as: UTF8.self) }
            return heard.contains { $0.hasPrefix(#"\#(number) {"op":"welcome""#) }
        }
        #expect(comes(1, as: 1))
        // It replaces the first.
        #expect(comes(2, as: 1))
        #expect(comes(3, as: 3))
        #expect(!comes(4, as: 4))
        wire.say("3")
        #expect(comes(5, as: 5))
        // It says hello twice, and is closed.
        #expect(!comes(5, as: 5))
        #expect(comes(6, as: 6))
        #expect(!comes(7, as: 7))
        #expect(cluster.room.sessionCount == 2 && wire.closeCode == nil)
    }

    @Test(arguments: ["subscriptions", "parameters"])
    func `an edge's own bounds hold for what the owner hasn't answered yet`(_ bound: String) {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        var limits = SyncLimits()
        if bound == "subscriptions" {
            limits.subscriptions = 2
        } else {
            // With the selection's name.
            limits.parameterBytesPerConnection = 2 * (1 + "line".utf8.count)
        }
        edge.room.set(limits)
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello())
        while edge.exchange() {}
        _ = wire.hear()
        func subscribe(_ ref: Int) -> String {
            #"{"op":"subscribe","ref":\#(ref),"select":"line","params":\#(ref)}"#
        }
        wire.say(subscribe(1), subscribe(2), subscribe(3))
        let heard = wire.hear()
        #expect(heard.map(\.code) == ["too-many-subscriptions"])
        #expect(heard.first?["ref"] == 3)
        // What isn't wanted any more doesn't count, answered or not.
        wire.say(#"{"op":"unsubscribe","ref":2}"#, subscribe(4), subscribe(5))
        #expect(wire.hear().map { $0["ref"] } == [5])
        while edge.exchange() {}
        #expect(wire.hear().filter { $0.op == "subscribed" }.map { $0["ref"] } == [1, 4])
    }

    @Test func `parameters count no longer than they are asked for, however that ends`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        var limits = SyncLimits()
        limits.parameterBytesPerConnection = 10
        edge.room.set(limits)
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello())
        cluster.settle()
        _ = wire.hear()
        func subscribe(_ ref: Int, _ params: String = "1000000") -> String {
            #"{"op":"subscribe","ref":\#(ref),"select":"line","params":\#(params)}"#
        }
        func unsubscribe(_ ref: Int) -> String { #"{"op":"unsubscribe","ref":\#(ref)}"# }
        // Before the owner has answered.
        for ref in 1...3 { wire.say(subscribe(ref), unsubscribe(ref)) }
        #expect(wire.hear().isEmpty)
        wire.say(subscribe(4))
        cluster.settle()
        #expect(wire.hear().first("subscribed")?["ref"] == 4)
        wire.say(unsubscribe(4), subscribe(5, #""words""#))
        cluster.settle()
        #expect(wire.hear().map(\.code) == ["invalid-params"])
        wire.say(subscribe(6))
        cluster.settle()
        #expect(wire.hear().first("subscribed")?["ref"] == 6)
    }

    @Test func `a number that a client has chosen costs no more than another`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, mirrors) = client(.ada, at: edge)
        cluster.settle(ada)
        let text = #"1 {"op":"transaction","v":0,"count":0,"acked":9007199254740991}"#
        Array(text.utf8).withUnsafeBytes { edge.room.receive($0) }
        edge.loop.endTurn()
        #expect(ada.wire?.session.outcomes.taken == SyncLimits().window)
        #expect(mirrors[0].value == 0)
    }

    @Test func `who is revoked while he waits for the owner isn't let in`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        edge.loop.authenticator = { _ in .success(Identity("eve")) }
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        edge.cut()
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello(.eve))
        #expect(wire.session.phase == .authenticating)
        #expect(!wire.session.revoke { $0.id == "eve" })
        edge.connect()
        while edge.exchange() {}
        #expect(wire.closeCode == .revoked)
        #expect(wire.hear().map(\.code) == ["revoked"])
    }

    @Test func `an owner that doesn't say all that it is asked holds nobody up for long`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, adas) = client(.ada, at: edge)
        let (bob, bobs) = client(.bob, at: edge, ["log"])
        cluster.settle(ada, bob)
        edge.cut()
        edge.connect()
        // Of what it is asked for, whether values are still the same is never said.
        while edge.exchangeOnly({ !$0.contains(#""op":"current""#) }) {}
        let third = ada.dispatch(AddTea(by: 1))
        ada.settle()
        #expect(adas[0].value == 0 && third.isSuccess == nil)
        edge.loop.advance(by: 10)
        cluster.settle(ada, bob)
        edge.loop.advance(by: 10)
        cluster.settle(ada, bob)
        #expect(third.isSuccess == true && adas[0].value == 1 && bobs[0].value == [])
        #expect(ada.wire?.closeCode == nil && bob.wire?.closeCode == nil)
    }

    @Test func `an owner that doesn't send all that belongs together is asked anew`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, adas) = client(.ada, at: edge)
        cluster.settle(ada)
        // This has come whole when that doesn't.
        ada.dispatch(AddTea(by: 1))
        cluster.settle(ada)
        edge.loop.advance(by: 5)
        let outcome = ada.dispatch(AddTea(by: 1))
        ada.settle()
        while edge.exchangeOnly({ !$0.contains(#""acked":2"#) }) {}
        edge.loop.advance(by: 9)
        cluster.settle(ada)
        #expect(edge.restarts == 0 && adas[0].value == 1 && outcome.isSuccess == nil)
        edge.loop.advance(by: 1)
        #expect(edge.restarts == 1 && edge.loop.reports.count == 1)
        edge.connect()
        cluster.settle(ada)
        #expect(adas[0].value == 2 && outcome.isSuccess == true)
        edge.loop.advance(by: 60)
        #expect(edge.restarts == 1 && ada.troubles == [])
    }

    @Test func `nor does it hold anybody up for ever when it is there again`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, adas) = client(.ada, at: edge, ["log", "mine"])
        cluster.settle(ada)
        edge.cut()
        let bob = TestClient(.bob, on: cluster.owner)
        bob.connect(to: cluster.room)
        bob.dispatch(Write(text: "a"))
        bob.settle()
        edge.connect()
        // What the one is isn't said before both change, and then only of that.
        while edge.exchangeOnly({ !$0.contains(#""value":[]"#) }) {}
        bob.dispatch(Sign(text: "b"))
        bob.settle()
        while edge.exchangeOnly({ !$0.contains(#""b "#) }) {}
        edge.loop.advance(by: 19)
        #expect(edge.restarts == 0 && adas[0].value == [])
        edge.loop.advance(by: 1)
        #expect(edge.restarts == 1 && edge.loop.reports.count == 1)
        edge.connect()
        cluster.settle(ada)
        #expect(adas[0].value?.array?.count == 2 && adas[1].value?.array?.count == 1)
        #expect(ada.troubles == [])
    }

    @Test func `numbers that are longer when they are written anew end one client alone`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let wire = Wire(to: edge.room, on: edge.loop)
        let (bob, bobs) = client(.bob, at: edge)
        wire.say(hello(.ada, #","settled":8999999999999999"#))
        cluster.settle(bob)
        let start =
            #"{"op":"dispatch","seq":9e15,"base":9e15,"settled":9e15,"action":{"type":"Write","payload":{"text":""#
        let end = #""}}}"#
        let text = String(
            repeating: "x", count: SyncLimits().messageBytes - start.utf8.count - end.utf8.count)
        wire.say(start + text + end)
        #expect(wire.closeCode == .tooBig)
        bob.dispatch(AddTea(by: 1))
        cluster.settle(bob)
        #expect(bobs[0].value == 1 && edge.restarts == 0)
    }

    @Test func `an owner with narrower limits has clients come anew, and wider ones hold again`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        var limits = SyncLimits()
        limits.window = 7
        let narrow = TestCluster(limits: limits)
        edge.move(to: narrow.owner)
        cluster.settle(ada)
        #expect(ada.byes.map(\.code) == ["going-away"])
        #expect(edge.room.limits.window == 7)
        edge.move(to: cluster.owner)
        while edge.exchange() {}
        #expect(edge.room.limits.window == SyncLimits().window)
        withExtendedLifetime(narrow) {}
    }

    @Test func `what makes no sense is reported in a sentence`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        for text in ["{}", "1{}"] {
            Array(text.utf8).withUnsafeBytes { edge.room.receive($0) }
        }
        #expect(edge.loop.reports.count == 2)
        let start = "Room '/a': what the upstream sent makes no sense, and is asked for anew: "
        #expect(edge.loop.reports.allSatisfy { $0.hasPrefix(start) && !$0.contains("Error(") })
        #expect(edge.loop.reports.last == start + "It doesn't belong to what came before.")
    }

    // MARK: What is let go

    @Test
    func `a client that leaves is gone at the owner, and a group that nobody has a while later`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        #expect(cluster.room.sessionCount == 1)
        ada.cut()
        cluster.settle()
        #expect(cluster.room.sessionCount == 0)
        #expect(cluster.room.liveGroups.count == 1)
        edge.loop.advance(by: 31)
        cluster.settle()
        #expect(cluster.room.liveGroups.isEmpty)
        weak let room = edge.room
        edge.letGo()
        #expect(room == nil)
        #expect(edge.isClosed)
    }

    @Test func `what has lapsed at an edge isn't had at the owner any more, nor asked for anew`() {
        var limits = SyncLimits()
        limits.subscriptions = 2
        let cluster = TestCluster(limits: limits)
        let edge = cluster.makeEdge()
        let wire = Wire(to: edge.room, on: edge.loop)
        wire.say(hello())
        cluster.settle()
        for ref in 1...3 {
            wire.say(#"{"op":"subscribe","ref":\#(ref),"select":"tea"}"#)
            cluster.settle()
            #expect(wire.hear().first("snapshot")?["value"] == 0)
            // As if the value couldn't be written at the moment.
            let sub = cluster.room.liveGroups.first?.sub ?? 0
            let text = #"{"op":"lapse","sub":\#(sub),"code":"internal"}"#
            Array(text.utf8).withUnsafeBytes { edge.room.receive($0) }
            cluster.settle()
            #expect(wire.hear().first("lapse")?.code == "internal")
            #expect(cluster.room.liveGroups.isEmpty)
        }
        edge.cut()
        edge.connect()
        cluster.settle()
        #expect(cluster.room.liveGroups.isEmpty)
    }

    // MARK: How far an edge is behind

    @Test func `an edge is behind by what its owner takes to answer`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        edge.room.askForSign()
        edge.loop.advance(by: 0.25)
        // It is asked once at a time.
        edge.room.askForSign()
        edge.loop.advance(by: 0.25)
        cluster.settle(ada)
        #expect(edge.loop.times(of: .roundTrip) == [.seconds(0.5)])
        // What nobody asked for says nothing.
        Array(#"{"op":"pong","v":0}"#.utf8).withUnsafeBytes { edge.room.receive($0) }
        edge.room.askForSign()
        cluster.settle(ada)
        #expect(edge.loop.times(of: .roundTrip) == [.seconds(0.5), .zero])
        #expect(ada.troubles == [] && edge.restarts == 0)
    }

    @Test func `an owner is silent from when it owes something, until it has let the edge in`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        func expect(live: Int, waiting: Int, silence: Double) {
            let gauges = edge.loop.rooms.gauges
            #expect(gauges.upstream.live == live)
            #expect(gauges.upstream.waiting == waiting)
            #expect(gauges.upstreamSilence == .seconds(silence))
        }
        expect(live: 0, waiting: 0, silence: 0)
        let (ada, _) = client(.ada, at: edge)
        ada.settle()
        edge.loop.advance(by: 3)
        expect(live: 0, waiting: 1, silence: 3)
        cluster.settle(ada)
        expect(live: 1, waiting: 0, silence: 0)
        edge.room.askForSign()
        edge.loop.advance(by: 2)
        expect(live: 1, waiting: 0, silence: 2)
        // It didn't answer, and then its connection broke.
        edge.cut()
        edge.loop.advance(by: 1)
        expect(live: 0, waiting: 1, silence: 3)
        edge.room.askForSign()
        edge.connect()
        cluster.settle(ada)
        expect(live: 1, waiting: 0, silence: 0)
        #expect(edge.loop.times(of: .roundTrip) == [])
    }

    @Test func `an edge waits longer after each connection that didn't hold, until one did`() {
        let cluster = TestCluster()
        let edge = cluster.makeEdge()
        let (ada, _) = client(.ada, at: edge)
        cluster.settle(ada)
        var random = SeededGenerator(seed: 1)
        for (held, longest) in [
            (0, 0.1), (1, 0.2), (1, 0.4), (4.5, 0.8), (1, 1.6), (1, 3.2), (1, 5), (1, 5),
            (5, 0.1), (1, 0.2), (5.5, 0.1),
        ] as [(Double, Double)] {
            edge.loop.advance(by: held)
            edge.cut()
            let delay = edge.room.backOff.next(using: &random) / .seconds(1)
            #expect((longest / 2...longest).contains(delay))
            edge.connect()
            cluster.settle(ada)
        }
    }

    @Test func `who is present is known to the owner, and gone with its edge`() {
        let owner = TestLoop()
        owner.edgeKey = "key"
        let room = owner.open(Hall.room, at: "/a", journal: TestJournal(isImmediate: true))
        owner.maker = { _ in room }
        let edge = TestEdge(of: owner, at: "/a", key: "key", client: "edge-of-the-hall-01")
        edge.loop.authenticator = { _ in .success(Identity("ada")) }
        let (ada, mirrors) = client(.ada, at: edge, ["present"])
        func settle() {
            repeat { ada.settle() } while edge.exchange()
        }
        settle()
        #expect(edge.loop.reports == [] && edge.restarts == 0 && mirrors[0].failure == nil)
        #expect(ada.byes.isEmpty)
        #expect(mirrors[0].value?.array?.count == 1)
        edge.close()
        owner.advance(by: 11)
        owner.endTurn()
        owner.endTurn()
        #expect(room.store.state.presence.participants.isEmpty)
    }
}

extension DispatchOutcome {
    fileprivate var isSuccess: Bool? {
        switch settled {
        case nil: nil
        case .success: true
        case .failure: false
        }
    }

    fileprivate var rejection: Rejection? {
        if case .failure(let rejection) = settled { rejection } else { nil }
    }
}

extension String {
    fileprivate static let eve = "eve-0123456789abcdef"
}
