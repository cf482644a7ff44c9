import StorecastPlatform
import Synchronization

/// Gives the terminal back as it was, whatever way the process ends.
///
/// `settings` is written once, before `isNeeded` is set and before the handlers that read it are
/// installed; that makes the unsafe member safe. All that ``restore()`` does may be done in a
/// signal handler (POSIX.1-2017, 2.4.3): an atomic exchange, `write` and `tcsetattr`.
enum TerminalRestoration {
    private nonisolated(unsafe) static let settings = UnsafeMutablePointer<termios>.allocate(
        capacity: 1)
    private static let isNeeded = Atomic(false)
    private static let areHandlersInstalled = Atomic(false)

    /// Shows the cursor, ends what ``TerminalDevice/enter()`` began, and leaves its screen.
    private static let sequence: StaticString =
        "\u{1B}[?2026l\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// From now on the terminal is to be restored to `original`.
    static func arm(_ original: termios) {
        if !areHandlersInstalled.exchange(true, ordering: .relaxed) {
            settings.initialize(to: original)
            atexit { TerminalRestoration.restore() }
            for fault in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
                signal(fault) { number in
                    TerminalRestoration.restore()
                    signal(number, SIG_DFL)
                    raise(number)
                }
            }
        }
        isNeeded.store(true, ordering: .sequentiallyConsistent)
    }

    /// Restores the terminal, once for every ``arm(_:)``.
    static func restore() {
        guard isNeeded.exchange(false, ordering: .sequentiallyConsistent) else { return }
        _ = write(STDOUT_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
        tcsetattr(STDIN_FILENO, TCSANOW, settings)
    }
}
