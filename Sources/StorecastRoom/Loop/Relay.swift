package import StorecastWire

/// What is said of a connection between the loop that holds it and the loop of its session.
///
/// What one loop says to the other arrives in order, and late.
package enum RelayMessage {
    package enum ToSession: Sendable {
        case message([UInt8])
        /// So many frames that are no messages.
        case oddments(Int)
        /// The last write was taken: the next may come.
        case writable
        /// With this code and reason.
        case closed(UInt16, String)
    }

    package enum ToConnection: Sendable {
        case write([ServerMessage])
        /// The session has taken a message of so many bytes.
        case taken(Int)
        case reading(Bool)
        case close(CloseCode, reason: String, behind: [ServerMessage])
    }
}

/// The session's half of a relay: one write is on its way at a time.
package struct SessionRelay {
    package private(set) var isWritable = true

    package init() {}

    /// What to say to the connection's loop; only while it is writable.
    package mutating func write(_ messages: [ServerMessage]) -> RelayMessage.ToConnection {
        isWritable = false
        return .write(messages)
    }

    package mutating func becameWritable() { isWritable = true }
}

/// The connection's half of a relay, without I/O: it is told of all that happens, and asked for
/// what to do until there is nothing.
///
/// A write that the connection doesn't take is held until it does: it may be in the middle of a
/// ping, of which the session knows nothing. Not more than one is held, and of what the peer says
/// not much more than `limit` bytes are on their way to a loop that is busy.
package struct ConnectionRelay {
    package enum Step {
        case write([ServerMessage])
        /// Read from the peer, or don't.
        case read(Bool)
        case say(RelayMessage.ToSession)
        /// The last.
        case close(CloseCode, reason: String, behind: [ServerMessage])
    }

    private let limit: Int
    /// The bytes on their way to the session.
    private var underway = 0
    private var isReadingWanted = true
    private var isReading = true
    private var held: [ServerMessage] = []
    private var owesWritable = false
    private var ending: Step?
    private var isOver = false

    /// - Parameter limit: how many bytes may be on their way to the session before reading stops.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether nothing waits for the connection.
    package var isIdle: Bool { held.isEmpty && !owesWritable }

    /// A message of so many bytes was sent to the session.
    package mutating func relayed(_ bytes: Int) { underway += bytes }

    package mutating func take(_ message: RelayMessage.ToConnection) {
        switch message {
        case .write(let messages):
            held += messages
            owesWritable = true
        case .taken(let bytes): underway -= bytes
        case .reading(let reads): isReadingWanted = reads
        case .close(let code, let reason, let last):
            ending = .close(code, reason: reason, behind: held + last)
            held = []
        }
    }

    /// What to do now.
    ///
    /// - Parameter isWritable: whether the connection takes a write at this moment.
    package mutating func next(isWritable: Bool) -> Step? {
        if isOver { return nil }
        if let ending {
            isOver = true
            return ending
        }
        let reads = isReadingWanted && underway <= limit
        if reads != isReading {
            isReading = reads
            return .read(reads)
        }
        guard owesWritable, isWritable else { return nil }
        if held.isEmpty {
            owesWritable = false
            return .say(.writable)
        }
        defer { held = [] }
        return .write(held)
    }
}
