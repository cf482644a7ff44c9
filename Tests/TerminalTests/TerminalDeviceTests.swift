#if os(Linux)
    import Glibc
    import Testing

    @testable import Terminal

    /// What the terminal is sent, from when it is taken over until it is given back.
    ///
    /// In processes of their own, whose standard input and output are a pseudoterminal.
    struct TerminalDeviceTests {
        @Test func `a screen is drawn once, and then what changes of it`() async {
            await #expect(processExitsWith: .success) {
                try await MainActor.run {
                    let terminal = try PseudoTerminal()
                    let device = TerminalDevice()
                    device.enter()
                    _ = try terminal.sent()
                    device.show(Self.canvas("one", "two"))
                    #expect(try terminal.sent().contains(["\u{1B}[2J", "one", "two"]))
                    device.show(Self.canvas("one", "two"))
                    #expect(try terminal.sent() == "")
                    device.show(Self.canvas("one", "six"))
                    let sent = try terminal.sent()
                    #expect(sent.contains("six") && !sent.contains("one"))
                }
            }
        }

        @Test func `it is drawn as a whole when nobody knows what the terminal shows`() async {
            await #expect(processExitsWith: .success) {
                try await MainActor.run {
                    let terminal = try PseudoTerminal()
                    let device = TerminalDevice()
                    device.enter()
                    let canvas = Self.canvas("one", "two")
                    device.show(canvas)
                    _ = try terminal.sent()
                    device.forget()
                    device.show(canvas)
                    #expect(try terminal.sent().contains(["\u{1B}[2J", "one", "two"]))
                    // As ctrl+Z and fg do it: meanwhile others write to it.
                    for _ in 1...2 {
                        device.leave()
                        device.enter()
                        _ = try terminal.sent()
                        device.show(canvas)
                        #expect(try terminal.sent().contains(["\u{1B}[2J", "one", "two"]))
                        device.show(canvas)
                        #expect(try terminal.sent() == "")
                    }
                }
            }
        }

        @Test func `it is given back as it was, however often it was taken over`() async {
            await #expect(processExitsWith: .success) {
                try await MainActor.run {
                    let terminal = try PseudoTerminal()
                    let device = TerminalDevice()
                    #expect(TerminalDevice.isThere)
                    #expect(device.size == (8, 2))
                    let original = terminal.settings
                    #expect(original.echoes && original.hasLines)
                    for _ in 1...3 {
                        device.enter()
                        #expect(!terminal.settings.echoes && !terminal.settings.hasLines)
                        #expect(try terminal.sent().contains(["\u{1B}[?1049h", "\u{1B}[?2004h"]))
                        device.leave()
                        #expect(terminal.settings == original)
                        #expect(
                            try terminal.sent().contains(
                                ["\u{1B}[?1049l", "\u{1B}[?2004l", "\u{1B}[?7h", "\u{1B}[?25h"]))
                        // It isn't taken from somebody else.
                        device.leave()
                        #expect(try terminal.sent() == "")
                    }
                }
            }
        }

        @MainActor private static func canvas(_ rows: String...) -> Canvas {
            var canvas = Canvas(width: 8, height: rows.count)
            for (row, text) in rows.enumerated() { canvas.write(text, row: row, column: 0) }
            return canvas
        }
    }

    /// A terminal in the place of the process's standard input and output.
    private struct PseudoTerminal {
        struct Settings: Equatable {
            var echoes: Bool
            var hasLines: Bool
        }

        private let screen: Int32

        init() throws {
            var (screen, end) = (0 as Int32, 0 as Int32)
            var size = winsize(ws_row: 2, ws_col: 8, ws_xpixel: 0, ws_ypixel: 0)
            try #require(openpty(&screen, &end, nil, nil, &size) == 0)
            try #require(dup2(end, STDIN_FILENO) >= 0 && dup2(end, STDOUT_FILENO) >= 0)
            self.screen = screen
        }

        var settings: Settings {
            var settings = termios()
            tcgetattr(STDIN_FILENO, &settings)
            return Settings(
                echoes: settings.c_lflag & UInt32(ECHO) != 0,
                hasLines: settings.c_lflag & UInt32(ICANON) != 0)
        }

        /// What the terminal was sent since the last call.
        func sent() throws -> String {
            let mark = Array("\u{1}end\u{1}".utf8)
            try #require(write(STDOUT_FILENO, mark, mark.count) == mark.count)
            var bytes: [UInt8] = []
            while !bytes.suffix(mark.count).elementsEqual(mark) {
                var waiting = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
                try #require(poll(&waiting, 1, 5000) == 1, "Nothing comes.")
                var piece = [UInt8](repeating: 0, count: 4096)
                let count = read(screen, &piece, piece.count)
                try #require(count > 0)
                bytes += piece[..<count]
            }
            return String(decoding: bytes.dropLast(mark.count), as: UTF8.self)
        }
    }

    extension String {
        fileprivate func contains(_ parts: [String]) -> Bool {
            parts.allSatisfy { contains($0) }
        }
    }
#endif
