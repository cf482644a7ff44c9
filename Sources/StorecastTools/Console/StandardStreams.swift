import Dispatch
import StorecastPlatform
import Synchronization

/// Standard output, a whole line at a time, unbuffered.
package enum StandardOutput {
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    package static func write(_ line: String) {
        StandardStream.write(line, to: STDOUT_FILENO)
    }
}

/// Standard error, a whole line at a time.
package enum StandardError {
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    package static func write(_ line: String) {
        StandardStream.write(line, to: STDERR_FILENO)
    }

    /// Replaces the terminal's current line, and stays in it.
    package static func overwrite(_ text: String) {
        StandardStream.write(bytes: "\r\u{1B}[K" + text.terminalSafe, to: STDERR_FILENO)
    }
}

private enum StandardStream {
    static func write(_ line: String, to descriptor: Int32) {
        write(bytes: line.terminalSafe + "\n", to: descriptor)
    }

    static func write(bytes text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = systemWrite(descriptor, rest)
                // Nobody reads any more.
                if count < 0, errno == EPIPE { exit(0) }
                if count < 0, errno != EINTR, errno != EAGAIN { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(count, 0)))
            }
        }
    }
}

/// Standard input, line by line, without blocking a thread of Swift's pool.
package final class StandardInput: Sendable {
    private struct State {
        var reader: CheckedContinuation<String?, Never>?
        var isStopped = false
    }

    package static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "storecast.input")

    package init() {}

    /// The next line without its end; nil at the end of input, or when it is stopped.
    package func nextLine() async -> String? {
        await withCheckedContinuation { continuation in
            let isStopped = state.withLock { state in
                if !state.isStopped { state.reader = continuation }
                return state.isStopped
            }
            if isStopped { return continuation.resume(returning: nil) }
            queue.async { [self] in answer(readLine()) }
        }
    }

    /// Ends the input, also for a caller that is waiting for a line.
    package func stop() {
        state.withLock { $0.isStopped = true }
        answer(nil)
    }

    package var isStopped: Bool { state.withLock(\.isStopped) }

    private func answer(_ line: String?) {
        state.withLock { $0.reader.take() }?.resume(returning: line)
    }
}

/// Ends the process.
package enum Process {
    package static func exit(_ status: CommandFailure.Status) -> Never {
        systemExit(status.rawValue)
    }
}

// Within the types above, members of the same names hide these functions.

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemExit(_ status: Int32) -> Never {
    exit(status)
}

/// Shows the progress of work that takes longer than a second: one line on standard error that is
/// overwritten again and again, if that is a terminal.
package final class ProgressBar: Sendable {
    private struct State {
        var next = ContinuousClock.now + .seconds(1)
        var isShown = false
    }

    private static let width = 30
    private let title: String
    private let state = Mutex(State())

    /// - Parameter title: what is being done.
    package init(_ title: String) {
        self.title = title
    }

    /// Shows how much is done, from 0 to 1, at most ten times a second.
    package func show(_ fraction: Double) {
        guard StandardError.isTerminal else { return }
        state.withLock { state in
            guard ContinuousClock.now >= state.next else { return }
            state.next = .now + .milliseconds(100)
            state.isShown = true
            StandardError.overwrite(Self.text(title, fraction))
        }
    }

    /// Removes the line.
    package func end() {
        state.withLock { state in
            if state.isShown { StandardError.overwrite("") }
            state = State()
        }
    }

    /// `[######............]  33 %  title`
    static func text(_ title: String, _ fraction: Double) -> String {
        let done = min(max(fraction, 0), 1)
        let marks = Int(done * Double(width))
        let percent = "\(Int(done * 100))"
        return "[" + String(repeating: "#", count: marks)
            + String(repeating: ".", count: width - marks) + "] "
            + String(repeating: " ", count: 3 - percent.count) + percent + " %  " + title
    }
}
