/// Whether a connection that is relayed to another loop is read: not while that loop's session
/// doesn't want it, nor while much of what was read hasn't been taken there.
///
/// Without the second a loop that is busy would be sent as much as the network brings.
struct RelayFlow {
    /// How many bytes may be on their way to the other loop before reading stops.
    private let limit: Int
    private var underway = 0
    private var isWanted = true
    private(set) var isReading = true

    init(limit: Int = 256 << 10) {
        self.limit = limit
    }

    /// A message was handed to the other loop. Returns what reading is to become, if that changes.
    mutating func sent(_ bytes: Int) -> Bool? {
        underway += bytes
        return change()
    }

    /// The other loop has taken a message. Returns as ``sent(_:)``.
    mutating func taken(_ bytes: Int) -> Bool? {
        underway -= bytes
        return change()
    }

    /// The session wants to be sent more, or not. Returns as ``sent(_:)``.
    mutating func want(_ reads: Bool) -> Bool? {
        isWanted = reads
        return change()
    }

    private mutating func change() -> Bool? {
        let reads = isWanted && underway <= limit
        guard reads != isReading else { return nil }
        isReading = reads
        return reads
    }
}
