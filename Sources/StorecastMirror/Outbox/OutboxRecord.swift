import StorecastSync
import StorecastWire

/// One thing that a stored outbox says.
enum OutboxRecord: Equatable {
    /// The first: whose dispatches these are, and to which room. It comes again whenever a program
    /// opens the outbox, with a number that rises.
    case opened(client: String, room: String, opening: UInt64)
    /// A dispatch was made.
    case dispatched(seq: UInt64, base: UInt64, type: String, payload: [UInt8])
    /// Everything up to this number has its outcome.
    case settled(UInt64)
    /// The dispatch with this number has its outcome.
    case ended(UInt64)

    /// What the record's text is like; a reader refuses a later version.
    private static let version: UInt64 = 1

    func write(to writer: inout JSONWriter) {
        switch self {
        case .opened(let client, let room, let opening):
            writer.beginObject()
            writer.write(key: "op")
            writer.write("opened")
            writer.write(key: "version")
            writer.write(Self.version)
            writer.write(key: "client")
            writer.write(client)
            writer.write(key: "room")
            writer.write(room)
            writer.write(key: "opening")
            writer.write(opening)
            writer.endObject()
        case .dispatched(let seq, let base, let type, let payload):
            writer.writeDispatch(seq: seq, base: base, settled: 0, type: type, payload: payload)
        case .settled(let seq): Self.write("settled", seq, to: &writer)
        case .ended(let seq): Self.write("ended", seq, to: &writer)
        }
    }

    private static func write(_ op: String, _ seq: UInt64, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write(key: "op")
        writer.write(op)
        writer.write(key: "seq")
        writer.write(seq)
        writer.endObject()
    }

    /// The record that a line is; nil if it is none.
    init?(reading view: JSONView) {
        guard let op = view["op"]?.string else { return nil }
        let seq = view["seq"]?.uint64
        switch (op, seq) {
        case ("opened", _):
            guard view["version"]?.uint64 == Self.version, let client = view["client"]?.string,
                let room = view["room"]?.string
            else { return nil }
            self = .opened(client: client, room: room, opening: view["opening"]?.uint64 ?? 0)
        case ("dispatch", let seq?) where seq > 0:
            guard let base = view["base"]?.uint64, let type = view["action"]?["type"]?.string
            else { return nil }
            let payload = view["action"]?["payload"]?.withBytes { Array($0) } ?? []
            self = .dispatched(seq: seq, base: base, type: type, payload: payload)
        case ("settled", let seq?): self = .settled(seq)
        case ("ended", let seq?): self = .ended(seq)
        default: return nil
        }
    }
}
