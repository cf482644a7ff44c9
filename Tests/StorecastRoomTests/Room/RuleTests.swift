import Testing

@testable import StorecastRoom

/// Who may do what, by the rules of a room's definition.
struct RuleTests {
    let loop = TestLoop()

    /// The token has the id and the roles, with spaces between.
    init() {
        loop.authenticator = { token in
            let words = (token ?? "").split(separator: " ").map { String($0) }
            return .success(Identity(words.first ?? "", roles: Set(words.dropFirst())))
        }
    }

    private func enter(
        _ room: any AnyRoom, _ token: String, client: String = .ada
    ) -> Wire {
        Wire.greeted(room, on: loop, client: client, rest: #","token":"\#(token)""#)
    }

    private func subscription(_ ref: Int, _ selection: String, _ params: String? = nil) -> String {
        let params = params.map { #","params":\#($0)"# } ?? ""
        return #"{"op":"subscribe","ref":\#(ref),"select":"\#(selection)"\#(params)}"#
    }

    /// What became of `AddTea`: `acked`, or the code of its rejection.
    private func tea(_ wire: Wire, _ seq: Int = 1) -> String {
        wire.dispatch(seq, "AddTea", #"{"by":1}"#)
        let heard = wire.hear()
        let isAcked = heard.contains { $0["acked"] != nil }
        return heard.first("reject")?.code ?? (isAcked ? "acked" : "?")
    }

    /// What became of a subscription to `coffee`: `subscribed`, or the code of the error.
    private func coffee(_ wire: Wire) -> String {
        wire.say(subscription(1, "coffee"), #"{"op":"unsubscribe","ref":1}"#)
        let first = wire.hear()[0]
        return first["code"]?.string ?? first.op
    }

    // MARK: Closed by default

    @Test func `a room of a server that authenticates is closed for what no rule is about`() {
        let room = loop.open(Shop.room, isClosed: true)
        let boss = enter(room, "ada boss")
        for seq in 1...3 {
            #expect(tea(boss, seq) == "forbidden")
            #expect(coffee(boss) == "forbidden")
        }
        // For each of them the log says once what to do.
        #expect(loop.reports.count == 2)
        #expect(loop.reports[0].contains("'AddTea' of room '/'"))
        #expect(loop.reports[1].contains("'coffee' of room '/'"))
        #expect(room.store.state == Shop())
    }

    @Test func `a rule opens what it is about, and nothing else`() {
        let room = loop.open(
            Shop.room.allow(AddTea.self, .open).allow(Shop.coffee, .open), isClosed: true)
        let wire = enter(room, "")
        #expect(tea(wire) == "acked")
        #expect(coffee(wire) == "subscribed")
        wire.dispatch(2, "AddCoffee", #"{"by":1}"#)
        #expect(wire.hear().first("reject")?.code == "forbidden")
        wire.say(subscription(1, "tea"))
        #expect(wire.hear().map(\.code) == ["forbidden"])
    }

    @Test func `a server without authentication is open, except for what a rule forbids`() {
        let room = loop.open(Shop.room.allow(Shop.coffee, .roles("boss")))
        let wire = enter(room, "")
        #expect(tea(wire) == "acked")
        #expect(coffee(wire) == "forbidden")
        #expect(loop.reports.isEmpty)
    }

    @Test func `what the server's own code dispatches needs no rule`() {
        let room = loop.open(Shop.room, isClosed: true)
        let outcome = DispatchOutcome()
        room.dispatch(AddTea(by: 1), outcome)
        loop.endTurn()
        #expect((try? outcome.settled?.get()) != nil)
    }

    // MARK: Rules

    @Test(
        arguments: [
            (.open, "", true), (.open, "ada", true), (.signedIn, "", false),
            (.signedIn, "ada", true), (.roles("boss"), "ada", false),
            (.roles("boss"), "ada boss", true), (.roles("clerk", "boss"), "ada boss cook", true),
            (.roles("clerk", "boss"), "ada cook", false), (.roles(), "ada boss", false),
            (.roles("caf\u{e9}"), "ada cafe\u{301}", false),
            (.roles("caf\u{e9}"), "ada caf\u{e9}", true),
            (.serverOnly, "ada boss", false), (.when { _, me in me.id == "ada" }, "ada", true),
            (.when { _, me in me.id == "ada" }, "bob", false),
            (.when { shop, _, _ in shop.log.isEmpty }, "bob", true),
            (.when { shop, _, _ in !shop.log.isEmpty }, "bob", false),
        ] as [(Rule<Shop, Any>, String, Bool)])
    func `a rule lets those whom it names, for an action as for a selection`(
        rule: Rule<Shop, Any>, token: String, isLet: Bool
    ) {
        let room = loop.open(Shop.room.allowAll(rule), isClosed: true)
        let wire = enter(room, token)
        #expect(tea(wire) == (isLet ? "acked" : "forbidden"))
        #expect(coffee(wire) == (isLet ? "subscribed" : "forbidden"))
    }

    @Test func `an own rule counts, not the one for all`() {
        let room = loop.open(
            Shop.room.allowAll(.open).allow(AddTea.self, .roles("boss"))
                .allow(Shop.coffee, .serverOnly), isClosed: true)
        let wire = enter(room, "ada")
        #expect(tea(wire) == "forbidden")
        #expect(coffee(wire) == "forbidden")
        let loose = loop.open(
            Shop.room.allowAll(.serverOnly).allow(AddTea.self, .open), isClosed: true)
        #expect(tea(enter(loose, "ada")) == "acked")
    }

    @Test func `a rule for all doesn't open the past`() {
        let definition = Shop.room.revertible().allowAll(.open)
        let wire = enter(loop.open(definition, isClosed: true), "ada")
        wire.dispatch(1, "storecast.revert", #"{"version":0}"#)
        #expect(wire.hear().first("reject")?.code == "forbidden")
        let open = enter(
            loop.open(definition.allow(RevertTo<Shop>.self, .open), isClosed: true), "ada")
        open.dispatch(1, "storecast.revert", #"{"version":0}"#)
        #expect(open.hear().first("reject") == nil)
    }

    @Test func `a rule is asked of the action, or of the parameters`() {
        let room = loop.open(
            Shop.room.allow(AddTea.self) { shop, add, _ in shop.tea + add.by <= 3 }
                .allow(Shop.line) { _, number, me in "\(number)" == me.id }, isClosed: true)
        let wire = enter(room, "7")
        wire.dispatch(1, "AddTea", #"{"by":2}"#)
        #expect(wire.hear().first("reject") == nil)
        wire.dispatch(2, "AddTea", #"{"by":2}"#)
        #expect(wire.hear().first("reject")?.code == "forbidden")
        wire.say(subscription(1, "line", "7"), subscription(2, "line", "8"))
        #expect(
            wire.hear().map { $0["code"]?.string ?? $0.op } == [
                "subscribed", "forbidden", "snapshot",
            ])
    }

    @Test func `however much a rule says, a bounded part of that is sent`() {
        let long = String(repeating: "\u{e9}", count: 10_000)
        let refusal = Rejection(.init(long), long, detail: long)
        let room = loop.open(
            Shop.room.authorize(AddTea.self) { _, _ in throw refusal }
                .authorize(Shop.coffee) { _, _ in throw refusal })
        let ada = enter(room, "ada")
        ada.dispatch(1, "AddTea", #"{"by":1}"#)
        ada.say(subscription(1, "coffee"))
        let heard = ada.hear()
        for answer in [heard.first("reject"), heard.first("error")] {
            #expect(answer?.code == String(long.prefix(32)) + "…")
            #expect(answer?["title"]?.string == String(long.prefix(256)) + "…")
            #expect(answer?["detail"]?.string == String(long.prefix(256)) + "…")
        }
    }

    @Test func `a selection isn't evaluated for whom its rule refuses`() {
        let tally = Tally()
        let room = loop.open(
            Shop.room(counting: tally).allow(Shop.tea, .roles("boss")), isClosed: true)
        enter(room, "ada").say(subscription(1, "tea"))
        #expect(tally.count == 0)
        #expect(room.views.live.isEmpty)
    }

    // MARK: Rules that look at the state

    /// Everybody sees `log` as long as there is less than ten of tea; the boss always does.
    private func guarded(_ state: Shop = Shop()) -> RoomDefinition<Shop> {
        Shop.room(from: state).allowAll(.open).allow(Shop.log) { shop, _, me in
            shop.tea < 10 || me.roles.contains("boss")
        }
    }

    private func set(_ room: Room<Shop>, tea: Int, writing text: String? = nil) {
        if let text { room.dispatch(Write(text: text), DispatchOutcome()) }
        room.dispatch(AddTea(by: tea - room.store.state.tea), DispatchOutcome())
        loop.endTurn()
    }

    @Test func `who may not have a selection any more isn't sent its new value`() {
        let room = loop.open(guarded(), isClosed: true)
        let (boss, clerk) = (enter(room, "ada boss"), enter(room, "bob", client: .bob))
        for wire in [boss, clerk] {
            wire.say(subscription(1, "log"))
            #expect(wire.hear().ops == ["subscribed", "snapshot"])
        }
        set(room, tea: 9, writing: "for all")
        for wire in [boss, clerk] { #expect(wire.hear().ops == ["snapshot"]) }
        set(room, tea: 10, writing: "secret")
        #expect(boss.hear().ops == ["snapshot"])
        let heard = clerk.hear()
        #expect(heard.ops == ["lapse"])
        #expect(heard.map(\.code) == ["forbidden"])
        clerk.say(subscription(1, "log"))
        #expect(clerk.hear().map(\.code) == ["forbidden"])
        set(room, tea: 11, writing: "more")
        #expect(clerk.hear().isEmpty)
        set(room, tea: 1)
        clerk.say(subscription(1, "log"))
        #expect(clerk.hear().last?["value"] == ["for all", "secret", "more"])
    }

    @Test func `a rule for all that looks at the state is asked again as well`() {
        let room = loop.open(
            Shop.room.allowAll(
                .when { shop, _, me in
                    shop.tea < 10 || me.roles.contains("boss")
                }), isClosed: true)
        let (boss, clerk) = (enter(room, "ada boss"), enter(room, "bob", client: .bob))
        for wire in [boss, clerk] {
            wire.say(subscription(1, "log"))
            #expect(wire.hear().ops == ["subscribed", "snapshot"])
        }
        set(room, tea: 10, writing: "secret")
        #expect(boss.hear().ops == ["snapshot"])
        #expect(clerk.hear().map(\.code) == ["forbidden"])
    }

    @Test func `nor is one who doesn't read at the moment, whatever was waiting for them`() {
        let room = loop.open(guarded(), isClosed: true)
        let clerk = enter(room, "bob")
        clerk.say(subscription(1, "log"))
        _ = clerk.hear()
        clerk.isWritable = false
        set(room, tea: 1, writing: "for all")
        set(room, tea: 10, writing: "secret")
        set(room, tea: 1)
        clerk.resume()
        #expect(clerk.hear().ops == ["lapse"])
    }

    @Test func `what is sent in parts ends there`() {
        var limits = SyncLimits()
        limits.partBytes = 16
        let lines = (0..<20).map { "line \($0)" }
        let room = loop.open(guarded(Shop(log: lines)), limits: limits, isClosed: true)
        let clerk = Wire.greeted(room, on: loop, rest: #","token":"bob","parts":1"#)
        clerk.say(subscription(1, "log"))
        loop.endTurn()
        #expect(clerk.session.hasParts)
        set(room, tea: 10)
        _ = clerk.hearMessages()
        #expect(!clerk.session.hasParts)
        for _ in 0..<5 { loop.endTurn() }
        #expect(clerk.messages.isEmpty)
    }

    @Test func `a turn that changes nothing asks nobody`() {
        let asked = Tally()
        let room = loop.open(
            Shop.room.allowAll(.open).allow(Shop.log) { _, _, _ in
                asked.increase()
                return true
            }, isClosed: true)
        let wire = enter(room, "ada")
        wire.say(subscription(1, "log"))
        let count = asked.count
        wire.say(#"{"op":"ping"}"#)
        #expect(asked.count == count)
        wire.dispatch(1, "AddTea", #"{"by":1}"#)
        #expect(asked.count == count + 1)
    }

    // MARK: Entry

    @Test func `who may not enter a room is told so, and isn't there`() {
        let room = loop.open(
            Shop.room.allowAll(.open).allowEntry(.roles("staff")), isClosed: true)
        let guest = Wire(to: room, on: loop)
        guest.say(hello(.bob, #","token":"bob""#))
        #expect(guest.hear().ops == ["bye"])
        #expect(guest.closeCode == .forbidden)
        #expect(room.sessionCount == 0)
        let staff = enter(room, "ada staff")
        #expect(tea(staff) == "acked")
        staff.say(#"{"op":"authenticate","token":"ada"}"#)
        #expect(staff.closeCode == .forbidden)
    }

    @Test func `who may not be there any more has to leave, before anything else is sent`() {
        let room = loop.open(
            Shop.room.allowAll(.open).allowEntry(
                .when { shop, _, me in shop.tea < 10 || me.id == "ada" }), isClosed: true)
        let (ada, bob) = (enter(room, "ada"), enter(room, "bob", client: .bob))
        for wire in [ada, bob] {
            wire.say(subscription(1, "tea"))
            _ = wire.hear()
        }
        set(room, tea: 10)
        #expect(ada.hear().ops == ["snapshot"])
        #expect(bob.hear().ops == ["bye"])
        #expect(bob.closeCode == .forbidden)
        #expect(room.sessionCount == 1)
    }
}
