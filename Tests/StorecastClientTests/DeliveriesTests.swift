import StorecastServer
import TestSupport
import Testing

@testable import StorecastClient

/// Actors that own stores come and go; a new one may have the address of one that is gone.
@Suite(.timeLimit(.minutes(30)), .fewAtATime)
struct DeliveriesTests {
    private actor Clerk {
        /// What its store of a connection shows when a book has been put there.
        func put(_ title: String, on connection: RemoteConnection) async throws -> [String]? {
            let books = RemoteStore(Shelf.books, on: connection)
            _ = try await books.dispatch(PutBook(title: title)).outcome
            return books.state
        }

        /// The first state of a store.
        func see(_ connection: RemoteConnection) async throws -> [String]? {
            let books = RemoteStore(Shelf.books, on: connection)
            for await state in books.states { return state }
            return nil
        }
    }

    private let registry = DeliveryRegistry()

    @Test func `each actor has its own, which are the same as long as it lives`() {
        let clerks = (0..<20).map { _ in Clerk() }
        let deliveries = clerks.map { registry.deliveries(to: $0) }
        #expect(Set(deliveries.map { ObjectIdentifier($0) }).count == clerks.count)
        for (clerk, first) in zip(clerks, deliveries) {
            #expect(first.owner === clerk)
            #expect(registry.deliveries(to: clerk) === first)
        }
    }

    @Test func `those of an actor that is gone aren't used for another at its address`() {
        let staying = Clerk()
        let first = registry.deliveries(to: staying)
        var addresses: Set<ObjectIdentifier> = []
        var count = 0
        // Until some addresses have come again: other tests, which run beside this, may take them.
        while count < 100 || count < 100_000 && count - addresses.count < 10 {
            count += 1
            let clerk = Clerk()
            addresses.insert(ObjectIdentifier(clerk))
            let deliveries = registry.deliveries(to: clerk)
            #expect(deliveries.owner === clerk)
            #expect(registry.deliveries(to: clerk) === deliveries)
        }
        #expect(addresses.count < count, "No address came twice: this shows nothing.")
        #expect(registry.deliveries(to: staying) === first)
    }

    @Test func `the stores of each are up to date, one actor after the other`() async throws {
        let desk = try await Desk()
        let connection = desk.connection
        var titles: [String] = []
        for number in 1...30 {
            titles.append("\(number)")
            let title = "\(number)"
            let shown = try await inTime {
                try await Clerk().put(title, on: connection)
            }
            try #require(shown == titles)
            let seen = try await inTime { try await Clerk().see(connection) }
            try #require(seen == titles)
        }
        await desk.close()
    }
}
