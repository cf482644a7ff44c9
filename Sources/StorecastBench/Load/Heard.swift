import StorecastWire

/// What a connection of a load needs to know of a server's frame.
enum Heard {
    case welcome(version: UInt64, lastSeq: UInt64, window: UInt64)
    case subscribed(sub: UInt64)
    case value(sub: UInt64, version: UInt64)
    case transaction(version: UInt64, count: UInt64, acked: UInt64?)
    case reject(ServerFrame.Reject)
    case refusal(code: String, text: String)
    case bye(String)
    case other

    /// Whether other connections may be sent the same.
    var isShared: Bool {
        switch self {
        case .value, .transaction(_, _, nil): true
        default: false
        }
    }

    init(_ message: UnsafeRawBufferPointer) {
        do throws(FrameError) {
            self.init(try ServerFrame(reading: message, limits: .trusted))
        } catch {
            // A later version of a server may send more.
            self = error.code == .unknownOp ? .other : .refusal(code: "unreadable", error)
        }
    }

    private init(_ frame: ServerFrame) {
        switch frame {
        case .welcome(let welcome):
            self = .welcome(
                version: welcome.position.version, lastSeq: welcome.lastSeq,
                window: welcome.limits.window)
        case .subscribed(let subscribed): self = .subscribed(sub: subscribed.sub)
        case .snapshot(let sub, let version, _): self = .value(sub: sub, version: version)
        case .patch(let sub, _, let version, _): self = .value(sub: sub, version: version)
        case .current(let sub, let version): self = .value(sub: sub, version: version)
        case .transaction(let version, let count, let acked):
            self = .transaction(version: version, count: count, acked: acked)
        case .reject(let reject): self = .reject(reject)
        case .lapse(_, let code):
            self = .refusal(code: "lapsed", text: "The server ended a subscription (\(code)).")
        case .error(let error): self = .refusal(code: error.code.word, error)
        case .bye(let bye): self = .bye(bye.title)
        case .pong, .term, .renew: self = .other
        }
    }

    private static func refusal(code: String, _ error: FrameError) -> Heard {
        .refusal(code: code, text: [error.title, error.detail ?? ""].joined(separator: " "))
    }
}

/// Reads messages, and remembers the last few: a server sends all mirrors the same bytes.
struct Hearing {
    private var known: [(text: [UInt8], heard: Heard)] = []
    private var oldest = 0

    private static let count = 4
    /// Longer ones are read each time.
    private static let longest = 1 << 16

    mutating func hear(_ message: UnsafeRawBufferPointer) -> Heard {
        for (text, heard) in known where text.count == message.count {
            if text.elementsEqual(message) { return heard }
        }
        let heard = Heard(message)
        guard heard.isShared, message.count <= Self.longest else { return heard }
        if known.count < Self.count {
            known.append((Array(message), heard))
        } else {
            known[oldest] = (Array(message), heard)
            oldest = (oldest + 1) % Self.count
        }
        return heard
    }
}
