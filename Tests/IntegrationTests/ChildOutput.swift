import Foundation
import Glibc
import Synchronization

/// What a child process writes, and how it ends, as a thread of its own reads it.
final class ChildOutput: Sendable {
    fileprivate struct State {
        var lines: [String] = []
        var rest: [UInt8] = []
        var status: Int32?
        var waiters: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock(\.lines) }

    /// The exit status, or minus the signal; nil until the process was waited for.
    var status: Int32? { state.withLock(\.status) }

    var isReaped: Bool { status != nil }

    /// Waits for so many lines, or for the end.
    func wait(forLines count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.status != nil || state.lines.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Reads everything from `descriptor`, and then waits for the process.
    func read(from descriptor: Int32, of process: pid_t) {
        Thread.detachNewThread { [self] in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                change { $0.take(chunk[..<count]) }
            }
            close(descriptor)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            change { $0.status = signal == 0 ? status >> 8 & 0xFF : -signal }
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            change(&state)
            let (isOver, count) = (state.status != nil, state.lines.count)
            let ready = state.waiters.filter { isOver || $0.count <= count }.map(\.1)
            state.waiters.removeAll { isOver || $0.count <= count }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }
}

extension ChildOutput.State {
    fileprivate mutating func take(_ bytes: ArraySlice<UInt8>) {
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
    }
}
