import StorecastSync
import StorecastWire

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
