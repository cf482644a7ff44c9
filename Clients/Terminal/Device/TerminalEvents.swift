import Dispatch
import StorecastPlatform

/// What the terminal and the system tell the program, on the main actor.
@MainActor
final class TerminalEvents {
    private var sources: [any DispatchSourceProtocol] = []

    /// Calls `action` whenever there is something to read from standard input.
    func onInput(_ action: @escaping @MainActor () -> Void) {
        keep(DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main), action)
    }

    /// Calls `action` for a signal, which then does nothing else.
    func on(_ number: Int32, _ action: @escaping @MainActor () -> Void) {
        signal(number, SIG_IGN)
        keep(DispatchSource.makeSignalSource(signal: number, queue: .main), action)
    }

    private func keep(
        _ source: some DispatchSourceProtocol, _ action: @escaping @MainActor () -> Void
    ) {
        // The main queue is the main actor's.
        source.setEventHandler { MainActor.assumeIsolated(action) }
        source.activate()
        sources.append(source)
    }

    /// Ends all of it.
    func stop() {
        for source in sources { source.cancel() }
        sources = []
    }
}
