import Synchronization

// Waits with a bound: what never comes fails a test, and doesn't hang it.
//
// Time is counted in naps. When all tests run at once and the machine is busy, a nap takes longer,
// as everything else does; alone, a hundred take a second.

/// How many naps a test waits for what it needs: ten seconds of a machine with nothing else to do.
package let longestWait = 1000

private func nap() async throws { try await Task.sleep(for: .milliseconds(10)) }

/// Something didn't happen in time.
package struct TooLate: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Whether something becomes so in time.
package func eventually(_ isSo: () async throws -> Bool) async rethrows -> Bool {
    for _ in 0..<longestWait {
        if try await isSo() { return true }
        try? await nap()
    }
    return try await isSo()
}

/// What `work` comes to, or ``TooLate`` with a message; `work` is left to itself then.
package func inTime<Value: Sendable>(
    _ message: String = "Nothing came.", naps: Int = longestWait,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (results, first) = AsyncStream<Result<Value, any Error>>.makeStream()
    let worker = Task {
        do { first.yield(.success(try await work())) } catch { first.yield(.failure(error)) }
    }
    let alarm = Task {
        for _ in 0..<naps { try await nap() }
        first.yield(.failure(TooLate(description: message)))
    }
    defer {
        worker.cancel()
        alarm.cancel()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
}

extension AsyncStream where Element: Sendable {
    /// Everything that comes until it ends, which has to be soon.
    package func collected() async throws -> [Element] {
        try await inTime("The stream doesn't end.") {
            var all: [Element] = []
            for await element in self { all.append(element) }
            return all
        }
    }

    /// The elements until for a long time none comes: both streams end then, or when nobody reads
    /// on.
    package var limited: AsyncStream {
        let (stream, continuation) = AsyncStream.makeStream()
        let silence = Silence()
        let copying = Task {
            for await element in self {
                silence.naps.store(0, ordering: .relaxed)
                continuation.yield(element)
            }
            continuation.finish()
        }
        let alarm = Task {
            while silence.naps.add(1, ordering: .relaxed).newValue < 2 * longestWait {
                try await nap()
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in
            copying.cancel()
            alarm.cancel()
        }
        return stream
    }
}

/// How long nothing has come from a stream.
private final class Silence: Sendable {
    let naps = Atomic(0)
}
