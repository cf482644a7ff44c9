import Testing

@testable import StorecastMirror
@testable import StorecastRoom

/// Parameters that the server finds equal, though they differ as JSON, are one subscription of the
/// connection with two mirrors.
struct SharedSubscriptionTests {
    private struct Drink: Codable, Hashable, Sendable { var name: String }

    private let loop = TestLoop()
    private let client: TestClient
    private let room: Room<Shop>
    private let short: Mirror

    init() {
        client = TestClient(on: loop)
        let lines = Selection("lines") { (shop: Shop, drink: Drink) in
            shop.log.filter { $0 == drink.name }
        }
        room = loop.open(
            RoomDefinition(
                state: Shop(log: Array(repeating: "tea", count: 20)), actions: [Write.self],
                selections: [lines], reducer: Shop.reduce))
        short = client.session.mirror("lines", ["name": "tea"])
        short.observers[0] = { _ in }
    }

    private func followWithMore() -> Mirror {
        let mirror = client.session.mirror("lines", ["name": "tea", "more": true])
        mirror.observers[0] = { _ in }
        return mirror
    }

    private func write() {
        room.dispatch(Write(text: "tea"), DispatchOutcome())
        client.settle()
    }

    @Test func `both follow`() {
        let long = followWithMore()
        client.connect(to: room)
        client.settle()
        #expect(short.sub == long.sub)
        write()
        #expect(short.value?.array?.count == 21)
        #expect(long.value?.array?.count == 21)
        #expect(short.position == long.position)
    }

    @Test func `one that comes later has what the connection has, and is told of it`() {
        client.connect(to: room)
        client.settle()
        let long = followWithMore()
        var tellings = 0
        long.observers[1] = { _ in tellings += 1 }
        client.settle()
        #expect(long.value?.array?.count == 20)
        #expect(tellings == 1)
        write()
        #expect(long.value?.array?.count == 21)
        #expect(client.troubles == [])
    }

    @Test func `one goes on when the other ends`() {
        let long = followWithMore()
        client.connect(to: room)
        client.settle()
        long.observers = [:]
        client.session.release(long)
        write()
        #expect(short.value?.array?.count == 21)
        #expect(long.value?.array?.count == 20)
    }

    @Test func `a patch that fits neither starts both anew`() {
        let long = followWithMore()
        client.connect(to: room)
        client.settle()
        for mirror in [short, long] { mirror.take(["wrong"], at: room.position) }
        write()
        #expect(client.troubles.count == 1)
        #expect(short.value?.array?.count == 21)
        #expect(long.value?.array?.count == 21)
        write()
        #expect(client.troubles.count == 1)
        #expect(long.value?.array?.count == 22)
    }

    @Test func `a patch that doesn't fit one of them starts both anew`() {
        let long = followWithMore()
        client.connect(to: room)
        client.settle()
        long.take(["wrong"], at: room.position)
        write()
        #expect(short.value?.array?.count == 21)
        #expect(long.value?.array?.count == 21)
        #expect(client.troubles.count == 1)
    }

    @Test func `both go on after a reconnect`() {
        let long = followWithMore()
        client.connect(to: room)
        client.settle()
        client.cut()
        write()
        client.connect(to: room)
        client.settle()
        #expect(short.value?.array?.count == 21)
        #expect(long.value?.array?.count == 21)
        #expect(client.troubles == [])
    }

    @Test func `a copy that is older than what a mirror knows isn't taken`() {
        let (old, new) = (
            Mirror(selection: "s", parameters: 1), Mirror(selection: "s", parameters: 2)
        )
        old.take("old", at: Position(epoch: "e", version: 3))
        new.take("new", at: Position(epoch: "e", version: 4))
        new.adopt(old)
        #expect(new.value == "new")
        old.adopt(new)
        #expect(old.value == "new")
        #expect(old.position?.version == 4)
    }
}
