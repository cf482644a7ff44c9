import Glibc

/// What other threads leave for a loop, and what they must know about it. Guarded by a mutex.
struct Inbox {
    enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    enum Phase { case running, stopping, stopped }

    var work: [Work] = []
    /// Whether the loop will come to the inbox without being woken again.
    var isSignalled = false
    var phase = Phase.running
    /// Who waits for the thread to end.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// The thread that nobody has joined yet.
    var joinable: pthread_t?
}

extension Optional {
    /// The value, leaving nil behind.
    mutating func take() -> Self {
        defer { self = nil }
        return self
    }
}

extension Array {
    /// The elements, leaving none behind.
    mutating func take() -> Self {
        defer { self = [] }
        return self
    }
}
