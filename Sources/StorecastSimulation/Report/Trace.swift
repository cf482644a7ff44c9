import StorecastRoom

/// What happened in a simulation: a hash that any difference changes and, on demand, a line each.
struct Trace {
    /// Whom or what an event is about.
    enum Subject: UInt64 {
        case client = 1
        case server, journal, network, step, promise

        var name: String { "\(self)" }
    }

    private var hash = MixingHash(seed: 0)
    private let isRecording: Bool
    private(set) var lines: [String] = []

    init(isRecording: Bool) {
        self.isRecording = isRecording
    }

    var digest: UInt64 { hash.finish() }

    /// Notes an event; `amount` distinguishes it from others of the same subject.
    mutating func note(
        _ time: Duration, _ subject: Subject, _ number: Int, _ amount: Int,
        _ text: () -> String
    ) {
        let (seconds, attoseconds) = time.components
        hash.mix(UInt64(bitPattern: seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000))
        hash.mix(subject.rawValue << 32 | UInt64(truncatingIfNeeded: number))
        hash.mix(UInt64(truncatingIfNeeded: amount))
        guard isRecording else { return }
        let isNumbered = subject == .client || subject == .server
        let name = isNumbered ? "\(subject.name) \(number)" : subject.name
        lines.append("\(Self.clock(time))  \(Self.padded(name, to: 10))  \(text())")
    }

    /// Seconds with six digits behind the point.
    private static func clock(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let digits = String(attoseconds / 1_000_000_000_000)
        let fraction = String(repeating: "0", count: 6 - digits.count) + digits
        return String(repeating: " ", count: max(0, 5 - String(seconds).count))
            + "\(seconds).\(fraction)"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
