/// Waits for `work`, but no longer than `limit`: what would hang fails with a message instead.
package func within<Value: Sendable>(
    _ message: String, limit: Duration = .seconds(5),
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

/// Something didn't happen in time.
package struct TooLate: Error, CustomStringConvertible {
    package let description: String
}

extension AsyncStream where Element: Sendable {
    /// Everything that comes until it ends, which has to be soon.
    package func collected() async throws -> [Element] {
        try await within("The stream doesn't end.") {
            var all: [Element] = []
            for await element in self { all.append(element) }
            return all
        }
    }
}
