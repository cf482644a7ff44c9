import StorecastSync
import TestSupport
import Testing

/// The life of an outcome: it is waited for by anyone, settled once, and there from then on.
@MainActor
struct DispatchOutcomeTests {
    private typealias Settled = Result<Position, Rejection>

    private nonisolated static let results: [Settled] = [
        .success(Position(epoch: "e", version: 7)), .failure(Rejection(.conflict, "No.")),
    ]

    private let outcome = DispatchOutcome()

    /// Tasks that wait for the outcome by now.
    private func waiters(_ count: Int) async -> [Task<Settled, Never>] {
        var begun = 0
        let tasks = (0..<count).map { _ in
            Task {
                begun += 1
                return await outcome.value()
            }
        }
        while begun < count { await Task.yield() }
        return tasks
    }

    private func hears(
        _ result: Settled, _ waiters: [Task<Settled, Never>],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (number, waiter) in waiters.enumerated() {
            let heard = try await inTime("Waiter \(number) hears nothing.") {
                await waiter.value
            }
            #expect(heard == result, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [0, 1, 2, 5], results.indices)
    func `all who waited hear it, and all who come later`(count: Int, index: Int) async throws {
        let result = Self.results[index]
        let early = await waiters(count)
        #expect(outcome.settled == nil)
        outcome.settle(result)
        #expect(outcome.settled == result)
        try await hears(result, early + (await waiters(2)))
        #expect(!outcome.isContradicted)
    }

    @Test(arguments: results.indices, results.indices)
    func `the first counts, and another one is noticed`(first: Int, second: Int) async throws {
        let early = await waiters(2)
        outcome.settle(Self.results[first])
        let between = await waiters(1)
        outcome.settle(Self.results[second])
        try await hears(Self.results[first], early + between + (await waiters(1)))
        #expect(outcome.settled == Self.results[first])
        #expect(outcome.isContradicted == (first != second))
    }

    @Test func `who is cancelled waits on, and so do the others`() async throws {
        let waiting = await waiters(3)
        waiting[1].cancel()
        await Task.yield()
        outcome.settle(Self.results[0])
        try await hears(Self.results[0], waiting)
    }

    @Test(arguments: results.indices)
    func `a dispatch gives to each who asks what the outcome is, or throws it`(
        index: Int
    ) async throws {
        let dispatch = Dispatch(outcome)
        let asking = (0..<2).map { _ in
            Task { () async -> Settled in
                do throws(Rejection) {
                    return .success(try await dispatch.outcome)
                } catch {
                    return .failure(error)
                }
            }
        }
        await Task.yield()
        outcome.settle(Self.results[index])
        try await hears(Self.results[index], asking)
    }
}
