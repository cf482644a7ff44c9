import StorecastRoom
import Testing

struct ServerSessionHelloTests {
    let loop = TestLoop()

    @Test func `hello is answered by welcome, with everything a client must know`() {
        let wire = Wire(to: loop.open(Shop.room, journal: TestJournal()), on: loop)
        wire.say(hello())
        #expect(
            wire.hear() == [
                parsed(
                    #"""
                    {"op":"welcome","proto":1,"epoch":"test-epoch","v":0,"lastSeq":0,
                    "heartbeat":30,"limits":{"message":1048576,"window":1024,"subscriptions":256,
                    "depth":64},"server":"storecast/0.1.0","identity":{"id":"","roles":[]}}
                    """#)
            ])
    }

    @Test func `welcome says whom the server takes the client for`() {
        loop.authenticator = { _ in .success(Identity("ada", roles: ["owner", "editor"])) }
        let wire = Wire(to: loop.open(Shop.room), on: loop)
        wire.say(hello(.ada, #","token":"secret""#))
        #expect(
            wire.hear().first?["identity"] == parsed(#"{"id":"ada","roles":["editor","owner"]}"#))
    }

    @Test(arguments: [
        #"{"op":"ping"}"#, #"{"op":"subscribe","ref":1,"select":"tea"}"#,
        dispatchFrame(1, "AddTea"), #"{"op":"nope"}"#, "[]", "{", "",
        #"{"op":"hello","proto":1,"client":"short"}"#,
        #"{"op":"hello","proto":1,"client":"äöüäöüäöüäöüäöüäöü"}"#,
        #"{"op":"hello","client":"0123456789abcdef"}"#,
    ])
    func `a first frame that isn't a readable hello is a violation`(_ text: String) {
        let room = loop.open(Shop.room)
        let wire = Wire(to: room, on: loop)
        wire.say(text)
        let heard = wire.hear()
        #expect(heard.ops == ["bye"])
        #expect(heard[0].code == "protocol-violation")
        #expect(heard[0]["reconnect"] == false)
        #expect(wire.closeCode == .protocolViolation)
        #expect(room.sessionCount == 0)
    }

    @Test func `nothing is heard after bye, and nothing said after it counts`() {
        let wire = Wire.greeted(loop.open(Shop.room), on: loop)
        wire.say("[\(dispatchFrame(1, "Wait")),\(hello()),{\"op\":\"ping\"}]", #"{"op":"ping"}"#)
        #expect(wire.hear().ops == ["bye"])
        #expect(wire.closeCode == .protocolViolation)
    }

    @Test func `another version of the protocol is refused, before anything else is looked at`() {
        loop.authenticator = { _ in .failure(Rejection(.unauthenticated, "No.")) }
        let wire = Wire(to: loop.open(Shop.room), on: loop)
        wire.say(#"{"op":"hello","proto":2,"client":"\#(String.ada)"}"#)
        #expect(wire.hear().first?.code == "unsupported-version")
        #expect(wire.closeCode == .unsupportedVersion)
    }

    @Test func `a bad token ends in unauthenticated, a forbidding server in forbidden`() {
        loop.authenticator = { token in
            token == "bad"
                ? .failure(Rejection(.unauthenticated, "Bad token."))
                : .failure(Rejection(.forbidden, "Not you."))
        }
        let room = loop.open(Shop.room)
        let bad = Wire(to: room, on: loop)
        bad.say(hello(.ada, #","token":"bad""#))
        #expect(bad.hear().map(\.code) == ["unauthenticated"])
        #expect(bad.closeCode == .unauthenticated)
        let other = Wire(to: room, on: loop)
        other.say(hello(.ada, #","token":"other""#))
        #expect(other.hear().map(\.code) == ["forbidden"])
        #expect(other.closeCode == .forbidden)
    }

    @Test func `frames behind hello wait until the token is checked`() {
        loop.authenticator = { _ in nil }
        let wire = Wire(to: loop.open(Shop.room), on: loop)
        wire.say("[\(hello()),{\"op\":\"subscribe\",\"ref\":1,\"select\":\"tea\"}]")
        wire.say(#"{"op":"ping"}"#)
        #expect(wire.hear().isEmpty)
        loop.answer(0, .success(Identity("ada")))
        loop.endTurn()
        #expect(wire.hear().ops == ["welcome", "subscribed", "pong", "snapshot"])
    }

    @Test func `any number of subscriptions may wait for the token`() {
        loop.authenticator = { _ in nil }
        var limits = SyncLimits()
        limits.subscriptions = 3
        let wire = Wire(to: loop.open(Shop.room, limits: limits), on: loop)
        wire.say(hello())
        for ref in 1...9 { wire.say(#"{"op":"subscribe","ref":\#(ref),"select":"tea"}"#) }
        #expect(wire.closeCode == nil)
        #expect(!wire.isReading)
        loop.answer(0, .success(Identity("ada")))
        loop.endTurn()
        let heard = wire.hear()
        #expect(heard.ops.filter { $0 == "subscribed" }.count == 3)
        #expect(heard.filter { $0.code == "too-many-subscriptions" }.count == 6)
        #expect(wire.isReading)
    }

    @Test func `few bytes wait for the token, however few frames they are`() {
        loop.authenticator = { _ in nil }
        var limits = SyncLimits()
        limits.controlBytes = 1000
        let wire = Wire(to: loop.open(Shop.room, limits: limits), on: loop)
        wire.say(hello())
        let ping = #"{"op":"ping","x":"\#(String(repeating: "x", count: 600))"}"#
        wire.say(ping)
        #expect(wire.isReading)
        wire.say(ping)
        #expect(!wire.isReading)
        loop.answer(0, .success(Identity("ada")))
        loop.endTurn()
        #expect(wire.hear().ops == ["welcome", "pong", "pong"])
        #expect(wire.isReading)
    }

    @Test func `tokens are checked one at a time, and of those that wait the newest`() {
        var checked: [String?] = []
        let wire = Wire(to: loop.open(Shop.room), on: loop)
        loop.authenticator = { _ in .success(Identity("ada")) }
        wire.say(hello())
        loop.authenticator = { token in
            checked.append(token)
            return nil
        }
        for token in 1...1000 { wire.say(#"{"op":"authenticate","token":"\#(token)"}"#) }
        #expect(checked == ["1"])
        loop.answer(0, .success(Identity("ada")))
        #expect(checked == ["1", "1000"])
        wire.say(#"{"op":"authenticate","token":"1001"}"#)
        #expect(checked == ["1", "1000"])
        loop.answer(1, .success(Identity("ada")))
        #expect(checked == ["1", "1000", "1001"])
        loop.answer(2, .success(Identity("ada")))
        #expect(checked == ["1", "1000", "1001"])
        wire.say(#"{"op":"authenticate","token":"last"}"#)
        #expect(checked == ["1", "1000", "1001", "last"])
        #expect(wire.closeCode == nil)
    }

    @Test func `a dispatch before welcome is a violation`() {
        loop.authenticator = { _ in nil }
        let wire = Wire(to: loop.open(Shop.room), on: loop)
        wire.say(hello(), dispatchFrame(1, "Wait"))
        #expect(wire.hear().map(\.code) == ["protocol-violation"])
        // The token turns out to be good, too late.
        loop.answer(0, .success(Identity("ada")))
        loop.endTurn()
        #expect(wire.hear().isEmpty)
    }

    @Test func `a client that has seen more than the room has is sent elsewhere`() {
        let room = loop.open(Shop.room, journal: TestJournal(isImmediate: true))
        let wire = Wire(to: room, on: loop)
        wire.say(hello(.ada, #","seen":{"epoch":"test-epoch","v":1}"#))
        #expect(wire.hear().map(\.code) == ["behind"])
        #expect(wire.closeCode == .behind)
        let other = Wire(to: room, on: loop)
        other.say(hello(.ada, #","seen":{"epoch":"another","v":7}"#))
        #expect(other.hear().ops == ["welcome"])
    }

    @Test func `errors of every kind leave the connection as it is`() {
        let wire = Wire.greeted(loop.open(Shop.room), on: loop)
        wire.say(
            "{", "[]", "7", #"{"op":"nope","ref":4}"#, #"[{"op":"ping"},{"op":"subscribe"}]"#,
            #"{"op":"dispatch","seq":1,"action":{"type":"AddTea"}}"#,
            #"{"op":"unsubscribe","ref":9}"#)
        let heard = wire.hear()
        #expect(
            heard.map { $0["code"]?.string ?? $0.op } == [
                "malformed", "invalid-frame", "invalid-frame", "unknown-op", "pong",
                "invalid-frame", "invalid-frame", "bad-ref",
            ])
        #expect(heard[3]["ref"] == 4)
        #expect(heard[5]["index"] == 1)
        #expect(heard[6]["seq"] == 1)
        #expect(heard[7]["ref"] == 9)
        #expect(wire.closeCode == nil)
        wire.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(wire.hear().first?["acked"] == 1)
    }

    @Test func `pong says the room's version`() {
        let wire = Wire.greeted(loop.open(Shop.room), on: loop)
        wire.dispatch(1, "Wait")
        _ = wire.hear()
        wire.say(#"{"op":"ping"}"#)
        #expect(wire.hear() == [parsed(#"{"op":"pong","v":1}"#)])
    }

    @Test func `a message that breaks the room's limits is malformed`() {
        var limits = SyncLimits()
        limits.depth = 4
        let wire = Wire.greeted(loop.open(Shop.room, limits: limits), on: loop)
        wire.say(#"{"op":"ping","more":[[[1]]]}"#, #"{"op":"ping","more":[[[[1]]]]}"#)
        #expect(wire.hear().ops == ["pong", "error"])
    }

    @Test func `a server that stops says bye to all, and reduces what it has received`() {
        let room = loop.open(Shop.room)
        loop.maker = { _ in room }
        let (bob, ada) = (Wire(1, to: "/", on: loop), Wire(2, to: "/", on: loop))
        bob.say(hello(.bob))
        ada.say(hello(.ada))
        for wire in [ada, bob] { _ = wire.hear() }
        ada.push(Array(dispatchFrame(1, "AddTea", #"{"by":1}"#).utf8))
        loop.rooms.stop {}
        for wire in [ada, bob] {
            #expect(
                wire.hear() == [
                    parsed(
                        #"""
                        {"op":"bye","code":"going-away","title":"The server stops.",
                        "reconnect":true,"after":0.5,"jitter":2}
                        """#)
                ])
            #expect(wire.closeCode == .goingAway)
        }
        #expect(room.sessionCount == 0)
        // The next welcome tells.
        #expect(room.store.state.tea == 1)
    }
}
