import StorecastTesting
import Synchronization
import TestSupport
import Testing

/// Rooms that don't keep to what the library asks of them: the checks must notice.
@Suite(.oneAtATime) struct BrokenRoomTests {
    struct Add: SyncAction { var number: Int }

    private static let sum = Selection("sum") { (numbers: [Int]) in numbers.reduce(0, +) }

    private func room(
        _ reducer: @escaping @Sendable (inout [Int], any Action) -> Void
    ) -> SimulatedRoom<[Int]> {
        SimulatedRoom(
            RoomDefinition(
                state: [], actions: [Add.self], selections: [Self.sum], reducer: reducer)
        )
        .mirroring(
            Self.sum,
            optimistic: { sum, action in
                if let add = action as? Add { sum += add.number }
            }
        )
        .dispatching { random, _ in Add(number: 1 + random.below(100)) }
    }

    @Test func `a room that does what it should passes`() throws {
        let room = room { numbers, action in
            if let add = action as? Add { numbers.append(add.number) }
        }
        try Simulation(of: room).check(0..<16)
    }

    @Test func `a reducer that isn't deterministic is found`() throws {
        let count = Counter()
        let room = room { numbers, action in
            if let add = action as? Add { numbers.append(add.number + count.next()) }
        }
        let failure = try #require(throws: SimulationFailure.self) {
            try Simulation(of: room).check(0..<16)
        }
        #expect(failure.report.violation?.promise == .durable)
    }

    /// What breaks the one rule in a few steps breaks the other one in two.
    @Test func `the shortest run breaks the promise that the seed's run does`() {
        let room = room { numbers, action in
            if let add = action as? Add { numbers.append(add.number) }
        }
        .requiring("the first is even") { $0.first?.isMultiple(of: 2) ?? true }
        .requiring("there are at most three") { $0.count <= 3 }
        var simulation = Simulation(of: room)
        simulation.options = SimulationOptions(steps: 12, clients: 2)
        var promises: [String: Int] = [:]
        for seed in 0..<24 as Range<UInt64> {
            let report = simulation.run(seed: seed)
            guard let promise = report.violation?.promise else { continue }
            promises[promise.description, default: 0] += 1
            let shortest = simulation.shrunk(seed: seed)
            #expect(shortest.violation?.promise == promise, "seed \(seed)")
            #expect(shortest.steps <= report.steps)
        }
        #expect(promises.count == 2, "\(promises)")
    }

    @Test func `an optimistic reducer that does something else than the room is no mistake`() throws
    {
        let room = room { numbers, action in
            if let add = action as? Add { numbers.append(add.number * 2) }
        }
        try Simulation(of: room).check(0..<16)
    }

    private final class Counter: Sendable {
        private let number = Atomic<Int>(0)

        func next() -> Int { number.add(1, ordering: .relaxed).newValue }
    }
}
