import StorecastWire

/// What a server announced to take effect together, and what came of it so far.
struct IncomingTransaction {
    let version: UInt64
    let count: UInt64
    let acked: UInt64?
    var parts: [ServerFrame] = []

    var isComplete: Bool { parts.count == count }
}
