// Waits with a bound: what never comes fails a test in seconds, and doesn't hang it.

/// How long a test waits for what it needs on a machine that is busy.
package let longestWait = Duration.seconds(10)

/// Something didn't happen in time.
package struct TooLate: Error, CustomStringConvertible {
    package let description: String
}

/// Whether something becomes so in time.
package func eventually(_ isSo: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + longestWait
    while ContinuousClock.now < end {
        if try await isSo() { return true }
        // A loop that only yields would take the processor from what it waits for.
        try? await Task.sleep(for: .milliseconds(1))
    }
    return try await isSo()
}

/// What `work` comes to, or ``TooLate`` with a message; `work` is left to itself then.
package func inTime<Value: Sendable>(
    _ message: String = "Nothing came.", limit: Duration = longestWait,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (results, first) = AsyncStream<Result<Value, any Error>>.makeStream()
    let worker = Task {
        do { first.yield(.success(try await work())) } catch { first.yield(.failure(error)) }
    }
    let alarm = Task {
        try await Task.sleep(for: limit)
        first.yield(.failure(TooLate(description: "\(message) (\(limit))")))
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

    /// The elements that come in time: both streams end then, or when nobody reads on.
    package var limited: AsyncStream {
        let (stream, continuation) = AsyncStream.makeStream()
        let copying = Task {
            for await element in self { continuation.yield(element) }
            continuation.finish()
        }
        let alarm = Task {
            try await Task.sleep(for: longestWait)
            continuation.finish()
        }
        continuation.onTermination = { _ in
            copying.cancel()
            alarm.cancel()
        }
        return stream
    }
}
