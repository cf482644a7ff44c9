import StorecastRoom
import Testing

/// What becomes of connections whose identity expires, or is revoked.
struct ServerSessionExpiryTests {
    let loop = TestLoop()

    init() {
        let opened = loop.open(Shop.room)
        loop.maker = { _ in opened }
    }

    /// A connection whose tokens hold until the time that they say, in seconds: `ada until 100`.
    private func connect(_ token: String, id: UInt64 = 1, client: String = .ada) -> Wire {
        loop.authenticator = { .success(Self.identity($0)) }
        let wire = Wire(id, to: "/", on: loop)
        wire.say(hello(client, #","token":"\#(token)""#))
        return wire
    }

    private static func identity(_ token: String?) -> Identity {
        let words = (token ?? "").split(separator: " ")
        let expires = words.last.flatMap { Double($0) }
        return Identity(
            words.first.map { String($0) } ?? "",
            expires: expires.map { Timestamp(secondsSince1970: $0) })
    }

    private func authenticate(_ wire: Wire, _ token: String) {
        wire.say(#"{"op":"authenticate","token":"\#(token)"}"#)
    }

    private func advance(by seconds: Double) {
        loop.advance(by: seconds)
        loop.endTurn()
    }

    @Test func `a client is asked for a newer token a minute before, and ended after`() {
        let wire = connect("ada until 600")
        #expect(wire.hear().ops == ["welcome"])
        advance(by: 539)
        #expect(wire.hear().isEmpty)
        advance(by: 2)
        let asked = wire.hear()
        #expect(asked.ops == ["renew"])
        #expect(asked.first?["within"]?.double.map { $0 > 58 && $0 <= 60 } == true)
        advance(by: 58)
        #expect(wire.hear().isEmpty)
        advance(by: 3)
        let heard = wire.hear()
        #expect(heard.map(\.code) == ["expired"])
        #expect(heard.first?["reconnect"] == true)
        #expect(wire.closeCode == .expired)
    }

    @Test func `who shows a newer token goes on, and is asked again before that one ends`() {
        let wire = connect("ada until 600")
        advance(by: 550)
        authenticate(wire, "ada until 1200")
        advance(by: 580)
        #expect(wire.hear().ops == ["welcome", "renew"])
        advance(by: 20)
        #expect(wire.hear().ops == ["renew"])
        authenticate(wire, "ada")
        advance(by: 100_000)
        #expect(wire.hear().isEmpty)
        #expect(wire.closeCode == nil)
    }

    @Test func `a check that fails for the moment changes nothing, and the next token is checked`()
    {
        let wire = connect("ada until 600")
        loop.authenticator = { _ in nil }
        for place in 0..<3 {
            authenticate(wire, "ada until 1200")
            #expect(loop.waiting.count == place + 1)
            loop.answer(place, .failure(Rejection(.unavailable, "Later.", retryAfter: .zero)))
        }
        authenticate(wire, "ada until 1200")
        loop.answer(3, .success(Self.identity("ada until 1200")))
        advance(by: 1000)
        #expect(wire.closeCode == nil)
        #expect(wire.hear().ops == ["welcome"])
    }

    @Test func `the same token again changes nothing`() {
        let wire = connect("ada until 600")
        for _ in 0..<20 {
            advance(by: 29)
            authenticate(wire, "ada until 600")
        }
        #expect(wire.hear().ops == ["welcome", "renew"])
        advance(by: 30)
        #expect(wire.closeCode == .expired)
    }

    @Test(arguments: [(20, 10), (100, 50), (130, 70), (1e300, .infinity)] as [(Double, Double)])
    func `a token of few seconds is asked for when half of them are over`(
        life: Double, asked: Double
    ) {
        let wire = connect("ada until \(life)")
        advance(by: min(asked - 1, 1000))
        #expect(wire.hear().ops == ["welcome"])
        guard asked.isFinite else { return }
        advance(by: 3)
        #expect(wire.hear().ops == ["renew"])
    }

    @Test(arguments: ["ada until 0", "ada until 49", "ada until 50", "ada until -1e300", "ada nan"])
    func `a token that has expired is no proof, at hello and later`(token: String) {
        advance(by: 50)
        let late = connect(token)
        #expect(late.hear().map(\.code) == ["unauthenticated"])
        #expect(late.closeCode == .unauthenticated)
        let wire = connect("ada until 600", id: 2)
        authenticate(wire, token)
        #expect(wire.closeCode == .unauthenticated)
    }

    @Test func `a token that expires while the room is opened lets nobody in`() {
        let journal = TestJournal(isImmediate: true)
        journal.opensRooms = false
        let opening = loop.open(Shop.room, journal: journal)
        loop.maker = { _ in opening }
        let (early, late) = (connect("ada until 50"), connect("bob until 500", id: 2, client: .bob))
        for _ in 1...60 { advance(by: 1) }
        #expect(early.hear().isEmpty)
        journal.finishOpening()
        loop.endTurn()
        #expect(early.hear().map(\.code) == ["expired"])
        #expect(late.hear().ops == ["welcome"])
    }

    @Test func `the clock may step`() {
        let wire = connect("ada until 600")
        loop.clockStep = 5000
        advance(by: 1)
        #expect(wire.closeCode == .expired)
    }

    @Test func `a connection that has ended is forgotten, and nothing ticks for nobody`() {
        let before = loop.timerCount
        let wires = (1...3).map { id in
            connect("ada until 100000", id: id, client: "client-0123456789-\(id)")
        }
        advance(by: 20)
        #expect(loop.timerCount == before + 1)
        for wire in wires { loop.rooms.end(wire.id) }
        advance(by: 2)
        #expect(loop.timerCount == before)
    }

    @Test func `rooms aren't told until when an identity holds`() {
        let opened = loop.open(Shop.room)
        loop.maker = { _ in opened }
        let wire = connect("ada until 600")
        #expect(wire.session.identity.id == "ada")
        #expect(wire.session.identity.expires == nil)
    }

    // MARK: Revocation

    @Test func `a revoked identity's connections end, and nobody else's`() {
        let ada = connect("ada", id: 1)
        let bob = connect("bob", id: 2, client: .bob)
        for wire in [ada, bob] { #expect(wire.hear().ops == ["welcome"]) }
        #expect(ada.session.revoke { $0.id == "ada" })
        #expect(!bob.session.revoke { $0.id == "ada" })
        let heard = ada.hear()
        #expect(heard.map(\.code) == ["revoked"])
        #expect(heard.first?["reconnect"] == true)
        #expect(ada.closeCode == .revoked)
        #expect(bob.closeCode == nil)
        #expect(!ada.session.revoke { _ in true })
    }

    @Test func `a check that was under way counts as made before`() {
        loop.authenticator = { _ in nil }
        let (ada, bob) = (Wire(1, to: "/", on: loop), Wire(2, to: "/", on: loop))
        ada.say(hello(.ada))
        bob.say(hello(.bob))
        for wire in [ada, bob] { #expect(!wire.session.revoke { $0.id == "ada" }) }
        loop.answer(0, .success(Identity("ada")))
        loop.answer(1, .success(Identity("bob")))
        loop.endTurn()
        #expect(ada.hear().map(\.code) == ["revoked"])
        #expect(bob.hear().ops == ["welcome"])
        // A later check counts.
        let again = connect("ada", id: 3)
        #expect(again.hear().ops == ["welcome"])
    }

    @Test func `so does the check of a newer token, but not the next one's`() {
        let wire = connect("ada")
        loop.authenticator = { _ in nil }
        authenticate(wire, "first")
        authenticate(wire, "second")
        #expect(!wire.session.revoke { $0.roles.contains("admin") })
        loop.answer(0, .success(Identity("ada")))
        loop.answer(1, .success(Identity("ada", roles: ["admin"])))
        #expect(wire.closeCode == nil)
        authenticate(wire, "third")
        #expect(wire.session.revoke { $0.roles.contains("admin") })
        #expect(wire.closeCode == .revoked)
    }

    @Test(arguments: [false, true])
    func `so does the check of a token that had waited for another's`(firstFails: Bool) {
        let wire = connect("ada")
        loop.authenticator = { _ in nil }
        authenticate(wire, "first")
        authenticate(wire, "second")
        loop.answer(
            0,
            firstFails
                ? .failure(Rejection(.unavailable, "Later.", retryAfter: .zero))
                : .success(Identity("ada")))
        #expect(!wire.session.revoke { $0.roles.contains("admin") })
        loop.answer(1, .success(Identity("ada", roles: ["admin"])))
        #expect(wire.closeCode == .revoked)
    }

    @Test func `a newer token of a revoked identity, whose check was under way, ends it`() {
        let wire = connect("ada")
        loop.authenticator = { _ in nil }
        authenticate(wire, "first")
        #expect(!wire.session.revoke { $0.roles.contains("admin") })
        loop.answer(0, .success(Identity("ada", roles: ["admin"])))
        #expect(wire.closeCode == .revoked)
    }
}
