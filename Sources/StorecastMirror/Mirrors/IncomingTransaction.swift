import StorecastSync
import StorecastWire

/// What a server announced to take effect together, and what came of it so far.
///
/// It keeps at most one part for each of the client's mirrors, whatever the server announced.
struct IncomingTransaction {
    let version: UInt64
    let count: UInt64
    let acked: UInt64?
    private(set) var parts: [MirrorPart] = []
    private var heard: UInt64 = 0
    private var subs: Set<UInt64> = []

    init(version: UInt64, count: UInt64, acked: UInt64?) {
        self.version = version
        self.count = count
        self.acked = acked
    }

    var isComplete: Bool { heard == count }

    /// Takes the next part; false if there was one of its `sub` before.
    ///
    /// One of a `sub` that the client doesn't follow, any more, only counts.
    mutating func take(_ part: MirrorPart, isFollowed: Bool) -> Bool {
        heard += 1
        guard isFollowed else { return true }
        guard subs.insert(part.sub).inserted else { return false }
        parts.append(part)
        return true
    }
}

/// What the server says of the value of one selection.
struct MirrorPart {
    let sub: UInt64
    /// As of when it is so.
    let position: Position
    /// A snapshot, a patch, or that the value is as it was.
    let content: ServerFrame
}

extension Mirror {
    /// False if it isn't for the value at hand.
    func take(_ part: MirrorPart) -> Bool {
        switch part.content {
        case .snapshot(_, _, let value):
            take(value.json, at: part.position)
            return true
        case .patch(_, let from, _, let operations):
            return apply(operations, from: from, to: part.position)
        default: return confirm(part.position)
        }
    }
}
