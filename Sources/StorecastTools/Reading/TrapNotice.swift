import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// Says which entry was being reduced when a reducer ends the program, which nothing keeps it from.
enum TrapNotice {
    /// From now on it is the entry at `offset`.
    static func reducing(_ offset: UInt64, of room: String) {
        notice.name(room)
        notice.words[0] = offset
    }

    /// Nothing is being reduced.
    static func done() { notice.words[0] = 0 }

    /// Made, and the signals are handled, when it is used for the first time.
    fileprivate static let notice = Notice()

    fileprivate static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
}

/// What the handler finds: allocated once, as it may neither allocate nor lock.
///
/// Unchecked: what it points to are numbers and bytes. A tool reduces on one thread at a time, and
/// the handler runs on that thread, within a reducer; on another it may print what is just
/// changing.
private final class Notice: @unchecked Sendable {
    private static let size = 8_192

    /// The offset, 0 for none; how many bytes ``text`` has.
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: 2)
    /// What is said behind the offset.
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
            return named == room
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

    /// What would have handled the signal does so then, as it comes again.
    func restore(_ signal: Int32) { sigaction(signal, former + Int(signal), nil) }

    private func handle(_ signal: Int32) {
        var action = sigaction()
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = notify
        #else
            action.__sigaction_handler.sa_handler = notify
        #endif
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
