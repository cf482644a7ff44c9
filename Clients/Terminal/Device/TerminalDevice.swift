import StorecastPlatform

/// The terminal that the process runs in: its settings, its size, and what is written to it.
@MainActor
final class TerminalDevice {
    private var shown: Canvas?

    /// Whether standard input and output are a terminal.
    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Takes the terminal over: keys come one by one and unechoed, on a screen of its own.
    func enter() {
        var original = termios()
        guard tcgetattr(STDIN_FILENO, &original) == 0 else { return }
        TerminalRestoration.arm(original)
        var raw = original
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        // Other screen, no wrapping at the edge, pastes marked as such.
        send("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h")
        shown = nil
    }

    /// Gives the terminal back.
    func leave() {
        TerminalRestoration.restore()
    }

    /// Columns and rows now.
    var size: (width: Int, height: Int) {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else {
            return (80, 24)
        }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// Shows `canvas`; writes what differs from what is shown.
    func show(_ canvas: Canvas) {
        let update = canvas.update(from: shown)
        shown = canvas
        if !update.isEmpty { send(update) }
    }

    /// What is shown is no longer known.
    func forget() {
        shown = nil
    }

    /// What has been typed, without waiting; empty at the end of input.
    func read() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            repeat {
                count = max(Self.read(into: buffer), 0)
            } while count == 0 && errno == EINTR
        }
    }

    private static func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        errno = 0
        return systemRead(STDIN_FILENO, buffer)
    }

    private func send(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = write(STDOUT_FILENO, rest.baseAddress, rest.count)
                if count < 0, errno != EINTR, errno != EAGAIN { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(count, 0)))
            }
        }
    }
}

/// A member of the same name hides the system's from the type.
private func systemRead(
    _ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>
) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
