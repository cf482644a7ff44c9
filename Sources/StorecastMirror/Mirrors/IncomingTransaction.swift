import StorecastSync
import StorecastWire

/// Changes that the server has announced to take effect together, and those that have come so far.
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
    /// A part of a `sub` that the client doesn't follow any more only counts.
    mutating func take(_ part: MirrorPart, isFollowed: Bool) -> Bool {
        heard += 1
        guard isFollowed else { return true }
        guard subs.insert(part.sub).inserted else { return false }
        parts.append(part)
        return true
    }
}

/// A message on the value of one selection.
struct MirrorPart {
    let sub: UInt64
    /// Where the value is this one.
    let position: Position
    /// A snapshot, a patch, or `current`: the value is unchanged.
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
