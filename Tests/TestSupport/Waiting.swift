// Waits with a bound: what never comes fails a test in seconds, and doesn't hang it.

/// How long a test waits for what it needs on a machine that is busy.
package let longestWait = Duration.seconds(10)

/// What a test waited for in vain.
package struct NothingCame: Error, CustomStringConvertible {
    package var description: String { "Nothing came within \(longestWait)." }
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

/// What `body` comes to, or ``NothingCame`` if that takes too long; `body` is left to itself then.
package func inTime<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (results, result) = AsyncStream<Result<Value, any Error>>.makeStream()
    let work = Task {
        do {
            result.yield(.success(try await body()))
        } catch {
            result.yield(.failure(error))
        }
    }
    defer { work.cancel() }
    for await result in results.inTime { return try result.get() }
    throw NothingCame()
}

extension AsyncStream where Element: Sendable {
    /// The elements that come in time: both streams end then, or when nobody reads on.
    package var inTime: AsyncStream {
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
