import Synchronization
public import Testing

/// A trait of suites that lets only so many of their tests run at a time.
///
/// Swift Testing begins all tests at once. With 2,700 of them on two cores, each step of a test
/// waits for a step of all others, half a minute at times, and what it means to see in time, as a
/// connection that is made, is late. Tests that wait for others, as for a server or a process, go
/// through here: those that have begun go on at once.
public struct Turnstile: SuiteTrait, TestTrait, TestScoping {
    private let queue: Queue

    /// Each test of a suite goes through.
    public var isRecursive: Bool { true }

    /// Runs a test when it is its turn.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await queue.enter()
        defer { queue.leave() }
        try await body()
    }

    /// Who comes first goes first.
    fileprivate final class Queue: Sendable {
        private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

        init(_ width: Int) { state = Mutex((width, [])) }

        func enter() async {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append(continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }

        func leave() {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                state.free += 1
                return nil
            }
            next?.resume()
        }
    }

    fileprivate static let few = Queue(6)
    fileprivate static let one = Queue(1)

    fileprivate init(_ queue: Queue) { self.queue = queue }
}

extension Trait where Self == Turnstile {
    /// Six tests of all suites that say so run at a time. For tests that wait for others.
    public static var fewAtATime: Turnstile { Turnstile(Turnstile.few) }
    /// One test of all suites that say so runs at a time. For tests that compute for seconds, which
    /// keep a thread from all others.
    public static var oneAtATime: Turnstile { Turnstile(Turnstile.one) }
}
