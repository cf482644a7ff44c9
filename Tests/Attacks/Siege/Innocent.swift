import Foundation
import Glibc
import MeasureSupport
import StorecastBench
import StorecastWire
import Synchronization

/// A client that does no harm: it pings every 5 ms, whether answers come or not, and so sees every
/// moment in which the server does something else.
final class Innocent: Sendable {
    /// What it has seen.
    struct Sight {
        /// From a ping's sending to its answer, in nanoseconds. What has no answer yet counts with
        /// what it has waited.
        var answers = Histogram()
        /// What went wrong for it, which mustn't.
        var problem: String?
    }

    private struct State {
        var sight = Sight()
        var isPinging = false
        var isOpen = true
        /// When the pings were sent that have no answer.
        var sent: Queue = Queue()
    }

    /// Numbers, first in, first out.
    private struct Queue {
        var values: [Int64] = []
        var start = 0

        var isEmpty: Bool { start == values.count }

        mutating func take() -> Int64 {
            defer { start += 1 }
            return values[start]
        }
    }

    private let state = Mutex(State())
    private static let interval: Int64 = 5_000_000

    init(port: Int) throws {
        // Its thread alone has the connection.
        let isThere = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            do {
                let connection = try RawConnection(port: port)
                try connection.greet(0xFFFF_FFFF)
                isThere.signal()
                try ping(connection)
            } catch {
                state.withLock { $0.sight.problem = "\(error)" }
                isThere.signal()
            }
        }
        isThere.wait()
        if let problem = state.withLock(\.sight.problem) { throw Failure(problem) }
    }

    /// Begins to ping.
    func begin() {
        state.withLock { state in
            state.sight.answers = Histogram()
            state.isPinging = true
        }
    }

    /// Stops, and waits for the answers that are to come, but no longer than `patience`.
    func end(patience: Duration) -> Sight {
        state.withLock { $0.isPinging = false }
        let deadline = ContinuousClock.now + patience
        while .now < deadline, state.withLock({ !$0.sent.isEmpty && $0.sight.problem == nil }) {
            Thread.sleep(forTimeInterval: 0.005)
        }
        let now = Self.now
        return state.withLock { state in
            while !state.sent.isEmpty { state.sight.answers.record(now - state.sent.take()) }
            return state.sight
        }
    }

    /// Leaves.
    func close() { state.withLock { $0.isOpen = false } }

    private func ping(_ connection: RawConnection) throws {
        let frame = RawConnection.frame { $0.writePing() }
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { scratch.deallocate() }
        var waiting = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
        var next = Self.now
        var answered = 0
        while state.withLock(\.isOpen) {
            if Self.now >= next {
                next = max(next + Self.interval, Self.now)
                let pings = state.withLock { state in
                    if state.isPinging { state.sent.values.append(Self.now) }
                    return state.isPinging
                }
                if pings { try connection.send(frame) }
            }
            let left = max(0, next - Self.now + 999_999) / 1_000_000
            guard poll(&waiting, 1, Int32(left)) > 0 else { continue }
            try connection.count(using: scratch)
            let now = Self.now
            let frames = connection.counter.frames
            state.withLock { state in
                while answered < frames, !state.sent.isEmpty {
                    state.sight.answers.record(now - state.sent.take())
                    answered += 1
                }
            }
        }
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
