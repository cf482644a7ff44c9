import Synchronization

/// How far work has come that takes longer than a second: one line on standard error, written again
/// and again, if that is a terminal.
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

    /// Takes the line away.
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
