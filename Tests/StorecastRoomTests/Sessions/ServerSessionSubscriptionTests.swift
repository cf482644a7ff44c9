import Testing

@testable import StorecastRoom

struct ServerSessionSubscriptionTests {
    let loop = TestLoop()

    private func subscribe(_ ref: Int, _ select: String, _ rest: String = "") -> String {
        #"{"op":"subscribe","ref":\#(ref),"select":"\#(select)"\#(rest)}"#
    }

    @Test func `parameters that are too large are refused`() {
        var limits = SyncLimits()
        limits.parameterBytes = 10
        let wire = Wire.greeted(loop.open(Shop.room, limits: limits), on: loop)
        for (ref, params) in [(1, "1234567890"), (2, "[123456789]")] {
            wire.say(#"{"op":"subscribe","ref":\#(ref),"select":"line","params":\#(params)}"#)
        }
        let heard = wire.hear()
        #expect(heard.ops == ["subscribed", "snapshot", "error"])
        #expect(heard[2].code == "invalid-params")
        #expect(heard[2]["ref"] == 2)
    }

    @Test func `a subscription is answered and followed by a snapshot`() {
        let wire = Wire.greeted(loop.open(Shop.room(from: Shop(tea: 12))), on: loop)
        wire.say(subscribe(7, "tea"))
        let heard = wire.hear()
        #expect(heard.ops == ["subscribed", "snapshot"])
        #expect(heard[0]["ref"] == 7)
        #expect(heard[0]["bytes"] == 2)
        #expect(heard[0]["tag"]?.string?.isEmpty == false)
        #expect(heard[1]["sub"] == heard[0]["sub"])
        #expect(heard[1].v == 0)
        #expect(heard[1]["value"] == 12)
    }

    @Test func `parameters choose what is selected`() {
        let room = loop.open(Shop.room(from: Shop(log: ["zero", "one"])))
        let wire = Wire.greeted(room, on: loop)
        wire.say(subscribe(1, "line", #","params":1"#), subscribe(2, "line", #","params":0"#))
        let heard = wire.hear().filter { $0.op == "snapshot" }
        #expect(heard.map { $0["value"] } == ["one", "zero"])
        #expect(heard[0]["sub"] != heard[1]["sub"])
    }

    @Test func `what can't be subscribed is an error, and the ref stays free`() {
        let room = loop.open(
            Shop.room.authorize(Shop.coffee) { _, viewer in
                guard viewer.id == "ada" else { throw Rejection(.forbidden, "Tea only.") }
            })
        let wire = Wire.greeted(room, on: loop)
        wire.say(
            subscribe(1, "beer"), subscribe(1, "line"), subscribe(1, "line", #","params":"x""#),
            subscribe(1, "coffee"), subscribe(1, "tea"), subscribe(1, "log"))
        let heard = wire.hear()
        #expect(
            heard.map { $0["code"]?.string ?? $0.op } == [
                "unknown-selection", "invalid-params", "invalid-params", "forbidden",
                "subscribed", "bad-ref", "snapshot",
            ])
        #expect(heard.filter { $0.op == "error" }.allSatisfy { $0["ref"] == 1 })
        #expect(heard[0]["detail"]?.string?.contains("'beer'") == true)
    }

    @Test func `a selection without parameters takes none, and an empty object for none`() {
        let wire = Wire.greeted(loop.open(Shop.room), on: loop)
        wire.say(subscribe(1, "tea", #","params":{"a":1}"#), subscribe(2, "tea", #","params":"x""#))
        let refused = wire.hear()
        #expect(refused.map(\.code) == ["invalid-params", "invalid-params"])
        #expect(refused[0]["detail"] == "'tea' has none.")
        wire.say(subscribe(1, "tea"), subscribe(2, "tea", #","params":{}"#))
        let heard = wire.hear()
        #expect(heard.ops == ["subscribed", "subscribed", "snapshot"])
        #expect(heard[0]["sub"] == heard[1]["sub"])
    }

    @Test func `parameters that are missing are named as clients write them`() throws {
        struct Place: Codable, Hashable { var path: String }
        let value = Selection("value") { (_: Shop, place: Place) in place.path }
        let line = Selection("line") { (_: Shop, index: Int) in index }
        #expect(
            throws: Rejection(
                .invalidParameters, "The selection's parameters can't be read.",
                detail: #"'value' needs params. The member "path" is missing."#)
        ) { try value.parameters(from: nil) }
        let error = #expect(throws: Rejection.self) { try line.parameters(from: nil) }
        #expect(error?.detail == "'line' needs params.")
    }

    @Test func `a connection has so many subscriptions and no more`() {
        var limits = SyncLimits()
        limits.subscriptions = 2
        let wire = Wire.greeted(loop.open(Shop.room, limits: limits), on: loop)
        wire.say(subscribe(1, "tea"), subscribe(2, "tea"), subscribe(3, "log"))
        #expect(wire.hear().first("error")?.code == "too-many-subscriptions")
        wire.say(#"{"op":"unsubscribe","ref":2}"#, subscribe(3, "log"))
        #expect(wire.hear().ops == ["subscribed", "snapshot"])
    }

    @Test func `two refs of one selection share one sub, and one copy`() {
        let room = loop.open(Shop.room)
        let wire = Wire.greeted(room, on: loop)
        wire.say(subscribe(1, "tea"))
        let first = wire.hear()
        wire.say(subscribe(2, "tea"))
        let second = wire.hear()
        #expect(second.ops == ["subscribed", "current"])
        #expect(second[0]["sub"] == first[0]["sub"])
        wire.say(#"{"op":"unsubscribe","ref":1}"#)
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        loop.endTurn()
        #expect(wire.hear().ops == ["snapshot"])
        wire.say(#"{"op":"unsubscribe","ref":2}"#)
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        loop.endTurn()
        #expect(wire.hear().isEmpty)
    }

    @Test func `two refs of one selection are shown as one subscription, to the last`() {
        let room = loop.open(Shop.room)
        let wire = Wire.greeted(room, on: loop)
        wire.say(subscribe(1, "tea"), subscribe(2, "tea"), subscribe(3, "coffee"))
        func shown() -> [String] { wire.session.inspectedSubscriptions.map(\.selection) }
        #expect(shown() == ["tea", "coffee"])
        #expect(room.inspection.subscriptions == ["tea": 1, "coffee": 1])
        wire.say(#"{"op":"unsubscribe","ref":1}"#)
        #expect(shown() == ["tea", "coffee"])
        wire.say(#"{"op":"unsubscribe","ref":2}"#)
        #expect(shown() == ["coffee"])
    }

    @Test func `a subscription lags by what it wasn't sent, and not if its value hasn't changed`() {
        let room = loop.open(Shop.room)
        let wire = Wire.greeted(room, on: loop)
        wire.say(subscribe(1, "tea"), subscribe(2, "coffee"))
        func lags() -> [UInt64] { wire.session.inspectedSubscriptions.map(\.lag) }
        wire.isWritable = false
        for _ in 1...3 {
            room.dispatch(AddTea(by: 1), DispatchOutcome())
            loop.endTurn()
        }
        #expect(lags() == [3, 0])
        #expect(wire.session.lag == 3)
        #expect(room.inspection.lag == 3)
        wire.resume()
        #expect(lags() == [0, 0])
        #expect(wire.session.lag == 0)
        #expect(room.inspection.lag == 0)
    }

    @Test func `a selection's subscriptions are counted together, whatever their parameters`() {
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop)
        let bob = Wire.greeted(room, on: loop, client: .bob)
        ada.say(subscribe(1, "line", #","params":0"#), subscribe(2, "line", #","params":1"#))
        bob.say(subscribe(1, "line", #","params":1"#), subscribe(2, "tea"))
        #expect(room.inspection.subscriptions == ["line": 3, "tea": 1])
    }

    @Test func `two refs in one message get one snapshot`() {
        let wire = Wire.greeted(loop.open(Shop.room), on: loop)
        wire.say("[\(subscribe(1, "tea")),\(subscribe(2, "tea"))]")
        #expect(wire.hear().ops == ["subscribed", "subscribed", "snapshot"])
    }

    @Test func `a change is told by a patch or a snapshot, whichever is smaller`() {
        let room = loop.open(Shop.room(from: Shop(log: Array(repeating: "tea", count: 50))))
        let wire = Wire.greeted(room, on: loop)
        wire.say(subscribe(1, "log"), subscribe(2, "tea"))
        _ = wire.hear()
        room.dispatch(Write(text: "more"), DispatchOutcome())
        loop.endTurn()
        let patch = wire.hear()
        #expect(patch.ops == ["patch"])
        #expect(patch[0]["from"] == 0)
        #expect(patch[0].v == 1)
        #expect(patch[0]["ops"] == parsed(#"[{"op":"add","path":"/50","value":"more"}]"#))
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        loop.endTurn()
        #expect(
            wire.hear() == [parsed(#"{"op":"snapshot","sub":2,"v":2,"value":1}"#)])
    }

    @Test func `a snapshot says when the value last changed, so that late comers share patches`() {
        let room = loop.open(Shop.room(from: Shop(log: Array(repeating: "tea", count: 50))))
        let early = Wire.greeted(room, on: loop)
        early.say(subscribe(1, "log"))
        room.dispatch(Write(text: "one"), DispatchOutcome())
        loop.endTurn()
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        loop.endTurn()
        _ = early.hear()
        let late = Wire.greeted(room, on: loop, client: .bob)
        late.say(subscribe(1, "log"))
        #expect(late.hear().last?.v == 1)
        room.dispatch(Write(text: "three"), DispatchOutcome())
        loop.endTurn()
        let (first, second) = (early.hearMessages(), late.hearMessages())
        #expect(first.map(\.json).ops == ["patch"])
        #expect(first[0].json["from"] == 1)
        #expect(first[0] === second[0])
    }

    @Test func `an action that leaves the value equal sends nothing`() {
        let room = loop.open(Shop.room)
        let wire = Wire.greeted(room, on: loop)
        wire.say(subscribe(1, "tea"))
        _ = wire.hear()
        room.dispatch(AddCoffee(by: 1), DispatchOutcome())
        room.dispatch(AddTea(by: 0), DispatchOutcome())
        loop.endTurn()
        #expect(wire.hear().isEmpty)
        // Not even where the value came back to what it was within a turn.
        room.dispatch(AddTea(by: 1), DispatchOutcome())
        room.dispatch(AddTea(by: -1), DispatchOutcome())
        loop.endTurn()
        #expect(wire.hear().isEmpty)
        #expect(room.position.version == 4)
    }

    @Test func `a selection that depends on the viewer has a sub for each viewer`() {
        loop.authenticator = { .success(Identity($0 ?? "")) }
        let room = loop.open(Shop.room)
        var wires: [Wire] = []
        for (client, user) in [(String.ada, "ada"), (.bob, "bob"), (.ada + "2", "ada")] {
            let wire = Wire.greeted(
                room, on: loop, client: client, rest: #","token":"\#(user)""#)
            wire.say(subscribe(1, "mine"))
            wires.append(wire)
        }
        let subscribed = wires.map { $0.hear().first("subscribed") }
        #expect(subscribed[0]?["sub"] == subscribed[2]?["sub"])
        #expect(subscribed[0]?["tag"] == subscribed[2]?["tag"])
        #expect(subscribed[0]?["sub"] != subscribed[1]?["sub"])
        #expect(subscribed[0]?["tag"] != subscribed[1]?["tag"])
        wires[0].dispatch(1, "Sign", #"{"text":"hi"}"#)
        #expect(wires[0].hear().ops == ["transaction", "snapshot"])
        #expect(wires[1].hear().isEmpty)
        #expect(wires[2].hear().ops == ["snapshot"])
    }

    @Test func `who may not see a selection isn't given it while others see it, nor after`() {
        loop.authenticator = { .success(Identity("ada", roles: $0 == "boss" ? ["boss"] : [])) }
        let room = loop.open(
            Shop.room.authorize(Shop.coffee) { _, viewer in
                guard viewer.roles.contains("boss") else {
                    throw Rejection(.forbidden, "Bosses only.")
                }
            })
        let boss = Wire.greeted(room, on: loop, rest: #","token":"boss""#)
        let clerk = Wire.greeted(room, on: loop, client: .bob, rest: #","token":"clerk""#)
        boss.say(subscribe(1, "coffee"))
        #expect(boss.hear().ops == ["subscribed", "snapshot"])
        clerk.say(subscribe(1, "coffee"))
        #expect(clerk.hear().map(\.code) == ["forbidden"])
        // What nobody follows any more is kept for a while.
        boss.say(#"{"op":"unsubscribe","ref":1}"#)
        clerk.say(subscribe(1, "coffee"))
        #expect(clerk.hear().map(\.code) == ["forbidden"])
        boss.say(subscribe(2, "coffee"))
        room.dispatch(AddCoffee(by: 1), DispatchOutcome())
        loop.endTurn()
        #expect(boss.hear().ops == ["subscribed", "snapshot", "snapshot"])
        #expect(clerk.hear().isEmpty)
    }

    @Test func `a new token of lower rights lapses what it may not see`() {
        loop.authenticator = { .success(Identity("ada", roles: $0 == "boss" ? ["boss"] : [])) }
        let room = loop.open(
            Shop.room.authorize(Shop.coffee) { _, viewer in
                guard viewer.roles.contains("boss") else {
                    throw Rejection(.forbidden, "Bosses only.")
                }
            })
        let wire = Wire.greeted(room, on: loop, rest: #","token":"boss""#)
        wire.say(
            subscribe(1, "coffee"), subscribe(2, "coffee"), subscribe(3, "tea"),
            subscribe(4, "mine"))
        let subs = wire.hear().filter { $0.op == "subscribed" }.compactMap { $0["sub"] }
        wire.say(#"{"op":"authenticate","token":"boss"}"#)
        #expect(wire.hear().isEmpty)
        wire.say(#"{"op":"authenticate","token":"clerk"}"#)
        // One lapse for a sub, however many refs share it.
        #expect(
            wire.hear() == [
                parsed(#"{"op":"lapse","sub":\#(subs[0]),"code":"forbidden"}"#),
                parsed(#"{"op":"lapse","sub":\#(subs[3]),"code":"renewed"}"#),
            ])
        room.dispatch(AddCoffee(by: 1), DispatchOutcome())
        loop.endTurn()
        #expect(wire.hear().isEmpty)
        wire.say(subscribe(1, "tea"), subscribe(2, "coffee"))
        #expect(
            wire.hear().map { $0["code"]?.string ?? $0.op } == [
                "subscribed", "forbidden", "current",
            ])
    }

    @Test func `a token of somebody else is a violation, a bad one the end`() {
        loop.authenticator = {
            $0 == "bad"
                ? .failure(Rejection(.unauthenticated, "Bad.")) : .success(Identity($0 ?? ""))
        }
        let room = loop.open(Shop.room)
        let ada = Wire.greeted(room, on: loop, rest: #","token":"ada""#)
        ada.say(#"{"op":"authenticate","token":"bob"}"#)
        #expect(ada.closeCode == .protocolViolation)
        let again = Wire.greeted(room, on: loop, rest: #","token":"ada""#)
        again.say(#"{"op":"authenticate","token":"bad"}"#)
        #expect(again.closeCode == .unauthenticated)
    }

    @Test func `a selection that can't be encoded lapses, and its room goes on`() {
        let room = loop.open(
            RoomDefinition(
                state: Shop(), actions: [AddTea.self], selections: [Ratio.selection, Shop.tea],
                reducer: Shop.reduce))
        let wire = Wire.greeted(room, on: loop)
        wire.say(subscribe(1, "ratio"), subscribe(2, "tea"))
        _ = wire.hear()
        wire.dispatch(1, "AddTea", #"{"by":13}"#)
        #expect(wire.hear().ops == ["lapse", "transaction", "snapshot"])
        #expect(loop.reports.count == 1)
        wire.say(subscribe(1, "ratio"))
        #expect(wire.hear().map(\.code) == ["internal"])
    }
}
