import StorecastPlatform
import StorecastSync
import Synchronization

/// Says which entry was being reduced when a trap in a reducer ends the program.
enum TrapNotice {
    /// From now on it is the entry at `offset`.
    static func reducing(_ offset: UInt64, of room: String) {
        notice.name(room)
        notice.words[0] = offset
    }

    /// Nothing is being reduced.
    static func done() { notice.words[0] = 0 }

    /// The first use installs the signal handlers.
    fileprivate static let notice = Notice()

    fileprivate static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
}

/// What the signal handler reads. Allocated in advance, as a handler may neither allocate nor lock.
///
/// Unchecked: it points to plain numbers and bytes. A tool reduces on one thread at a time, and a
/// trap in a reducer runs the handler on that thread. A signal on another thread could at worst
/// print a name that is just changing.
private final class Notice: @unchecked Sendable {
    private static let size = 8_192

    /// The offset, 0 for none; the length of ``text`` in bytes.
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: 2)
    /// The rest of the message, after the offset.
    let text = UnsafeMutableRawPointer.allocate(byteCount: Notice.size, alignment: 1)
    let digits = UnsafeMutableRawPointer.allocate(byteCount: 20, alignment: 1)
    private let former = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
    private let room = Mutex<String?>(nil)

    init() {
        words.initialize(repeating: 0, count: 2)
        former.initialize(repeating: sigaction(), count: 32)
        for signal in TrapNotice.signals { handle(signal) }
    }

    func name(_ room: String) {
        let isNamed = self.room.withLock { named in
            defer { named = room }
            return named?.isSameText(as: room) == true
        }
        if isNamed { return }
        let text = """
             of room '\(room.onOneLine.terminalSafe)' ended this program when it was reduced. Mend the \
            reducer, or have the room go on without it: storecast journal skip

            """
        let bytes = Array(text.utf8.prefix(Self.size))
        self.text.copyMemory(from: bytes, byteCount: bytes.count)
        words[1] = UInt64(bytes.count)
    }

    /// Reinstalls the former handler, which gets the signal when it comes again.
    func restore(_ signal: Int32) { sigaction(signal, former + Int(signal), nil) }

    private func handle(_ signal: Int32) {
        var action = sigaction(handler: notify)
        sigaction(signal, &action, former + Int(signal))
    }
}

private func notify(_ signal: Int32) {
    let notice = TrapNotice.notice
    var rest = notice.words[0]
    if rest > 0 {
        var first = 20
        while rest > 0 {
            first -= 1
            let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            notice.digits.storeBytes(of: digit, toByteOffset: first, as: UInt8.self)
            rest /= 10
        }
        let start: StaticString = "\nThe entry at offset "
        _ = write(STDERR_FILENO, start.utf8Start, start.utf8CodeUnitCount)
        _ = write(STDERR_FILENO, notice.digits + first, 20 - first)
        _ = write(STDERR_FILENO, notice.text, Int(notice.words[1]))
    }
    notice.restore(signal)
    if signal == SIGABRT { raise(signal) }
}
