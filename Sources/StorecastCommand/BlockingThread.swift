import Dispatch
import Foundation
import Synchronization

/// A thread that may wait for what is asynchronous. None of Swift's own may: what it waits for
/// might need it.
enum BlockingThread {
    /// Runs `body` on a thread of its own.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Waits for what comes of `work`. Only within ``run(_:)``.
    static func wait<Value: Sendable>(
        for work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let answer = Answer<Value>()
        Task {
            do { answer.give(.success(try await work())) } catch { answer.give(.failure(error)) }
        }
        return try answer.take().get()
    }
}

/// What one thread waits for, and another brings.
private final class Answer<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
        isThere.signal()
    }

    func take() -> Result<Value, any Error> {
        isThere.wait()
        guard let result = result.withLock({ $0 }) else {
            preconditionFailure("It is signalled when it is there.")
        }
        return result
    }
}
