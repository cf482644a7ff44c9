import Testing

@testable import StorecastMirror
@testable import StorecastRoom

/// Names of other bytes that Swift's `String` takes for equal are other names.
struct LookAlikeTests {
    struct Filter: Hashable, Codable, Sendable {
        var word: String
        var words: Set<String> = []
    }

    struct Kick: SyncAction {
        static let wireName = "Kick"
    }

    /// Sets a member of a dictionary whose keys are Swift's strings.
    struct Tell: SyncAction { var counts: [String: Int] }

    static let composed = "\u{e9}"
    static let decomposed = "e\u{301}"

    let loop = TestLoop()
    let definition = RoomDefinition(
        state: Shop(), actions: [Kick.self, Tell.self, AddTea.self],
        selections: [
            Selection("echo") { (_: Shop, word: String) in JSON.string(word) },
            Selection("filter") { (_: Shop, filter: Filter) in JSON.string(filter.word) },
            Selection("who") { (_: Shop, me: Identity) in JSON.string(me.id) },
            Selection("roles") { (_: Shop, me: Identity) in me.roles.map { JSON.string($0) } },
        ], reducer: Shop.reduce)

    private func connected(
        _ client: String, as identity: Identity, to room: Room<Shop>
    ) -> Wire {
        loop.authenticator = { _ in .success(identity) }
        return Wire.greeted(room, on: loop, client: client)
    }

    private func subscribed(_ wire: Wire, _ select: String, _ params: String = "{}") -> [JSON?] {
        wire.say(#"{"op":"subscribe","ref":1,"select":"\#(select)","params":\#(params)}"#)
        let heard = wire.hear()
        return [heard.first("subscribed")?["tag"], heard.first("snapshot")?["value"]]
    }

    @Test func `a selection for each viewer is for each viewer`() {
        let room = loop.open(definition)
        let one = connected(.ada, as: Identity(Self.composed), to: room)
        let other = connected(.bob, as: Identity(Self.decomposed), to: room)
        let (seen, seenByOther) = (subscribed(one, "who"), subscribed(other, "who"))
        #expect(seen[1] == .string(Self.composed))
        #expect(seenByOther[1] == .string(Self.decomposed))
        #expect(seen[0] != seenByOther[0])
    }

    @Test func `a selection for each viewer is for each role`() {
        let room = loop.open(definition)
        let one = connected(.ada, as: Identity("a", roles: [Self.composed]), to: room)
        let other = connected(.bob, as: Identity("a", roles: [Self.decomposed]), to: room)
        #expect(subscribed(one, "roles")[1] == [.string(Self.composed)])
        #expect(subscribed(other, "roles")[1] == [.string(Self.decomposed)])
    }

    /// The type of a value says whether it changed; what is sent is exact.
    @Test func `a text that comes to look alike only is sent with the next change, exactly`() {
        let room = loop.open(Shop.room)
        let wire = Wire.greeted(room, on: loop)
        #expect(subscribed(wire, "log")[1] == [])
        func write(_ texts: String...) -> JSON? {
            room.store.replaceState(Shop(tea: room.store.state.tea, log: texts))
            room.dispatch(AddTea(by: 1), DispatchOutcome())
            loop.endTurn()
            return wire.hear().last
        }
        #expect(write(Self.composed)?["value"]?[0] == .string(Self.composed))
        #expect(write(Self.decomposed) == nil)
        let last = write(Self.decomposed, "more")
        let change = last?["ops"]?.array?.first { $0["path"] == "/0" }
        let shown = last?["value"]?[0] ?? change?["value"]
        #expect(shown == .string(Self.decomposed))
    }

    @Test func `parameters that look alike select two things, on one connection and on two`() {
        let room = loop.open(definition)
        let wire = Wire.greeted(room, on: loop)
        for (ref, word) in [(1, Self.composed), (2, Self.decomposed)] {
            wire.say(#"{"op":"subscribe","ref":\#(ref),"select":"echo","params":"\#(word)"}"#)
        }
        let heard = wire.hear()
        let answers = heard.filter { $0.op == "subscribed" }
        #expect(answers.count == 2)
        #expect(answers.first?["sub"] != answers.last?["sub"])
        #expect(answers.first?["tag"] != answers.last?["tag"])
        #expect(
            heard.filter { $0.op == "snapshot" }.map { $0["value"]?.string.map { Array($0.utf8) } }
                == [Array(Self.composed.utf8), Array(Self.decomposed.utf8)])
        let other = Wire.greeted(room, on: loop, client: .bob)
        let value = subscribed(other, "filter", #"{"word":"e\u0301","words":[]}"#)[1]
        #expect(value == .string(Self.decomposed))
        let third = Wire.greeted(room, on: loop, client: "eve-0123456789abcdef")
        #expect(
            subscribed(third, "filter", #"{"word":"\u00e9","words":[]}"#)[1]
                == .string(Self.composed))
    }

    @Test func `equal parameters share, in whatever order a set of theirs is written`() {
        let room = loop.open(definition)
        let first = Wire.greeted(room, on: loop)
        let second = Wire.greeted(room, on: loop, client: .bob)
        first.say(
            #"{"op":"subscribe","ref":1,"select":"filter","params":{"word":"a","words":["b","c"]}}"#
        )
        second.say(
            #"{"op":"subscribe","ref":1,"select":"filter","params":{"words":["c","b"],"word":"a"}}"#
        )
        #expect(first.hear()[0]["sub"] == second.hear()[0]["sub"])
    }

    @Test func `a client id isn't given to another identity, nor a token of another's taken`() {
        let room = loop.open(definition)
        let wire = connected(.ada, as: Identity(Self.composed), to: room)
        wire.dispatch(1, "AddTea", #"{"by":1}"#)
        loop.authenticator = { _ in .success(Identity(Self.decomposed)) }
        let thief = Wire(to: room, on: loop)
        thief.say(hello())
        #expect(thief.closeCode == .forbidden)
        wire.say(#"{"op":"authenticate","token":"t"}"#)
        #expect(wire.closeCode == .protocolViolation)
    }

    @Test func `actions and selections aren't found under names that look alike`() {
        // The sign for kelvin.
        let wire = Wire.greeted(loop.open(definition), on: loop)
        wire.dispatch(1, "\u{212A}ick")
        #expect(wire.hear().first("reject")?.code == "unknown-action")
        wire.dispatch(2, "Kick")
        #expect(wire.hear().first("reject") == nil)
    }

    @Test
    func `a payload with names that a dictionary would take for one is refused, before the log`() {
        let journal = MemoryJournal(capacity: .max, random: SeededGenerator(seed: 1))
        let room = loop.open(definition, journal: journal)
        let wire = Wire.greeted(room, on: loop)
        wire.dispatch(1, "Tell", #"{"counts":{"\u00e9":1,"e\u0301":2}}"#)
        let reject = wire.hear().first("reject")
        #expect(reject?.code == "invalid")
        #expect(reject?["detail"]?.string?.contains("canonically equivalent") == true)
        #expect(room.position.version == 0)
        wire.dispatch(2, "Tell", #"{"counts":{"\u00e9":1,"e":2}}"#)
        #expect(room.position.version == 1)
    }

    @Test func `a mirror is of one name and one parameter`() {
        let session = ClientSession(client: .ada)
        let mirrors = [
            session.mirror(Self.composed, nil), session.mirror(Self.decomposed, nil),
            session.mirror("a", .string(Self.composed)),
            session.mirror("a", .string(Self.decomposed)),
        ]
        #expect(Set(mirrors.map { ObjectIdentifier($0) }).count == 4)
    }

    @Test func `identities are who they are, byte by byte`() {
        #expect(Identity(Self.composed) != Identity(Self.decomposed))
        #expect(
            Identity("a", roles: [Self.composed]) != Identity("a", roles: [Self.decomposed]))
        #expect(Identity("a", roles: ["x", "y"]) == Identity("a", roles: ["y", "x"]))
        #expect(Set([Identity(Self.composed), Identity(Self.decomposed)]).count == 2)
    }
}
