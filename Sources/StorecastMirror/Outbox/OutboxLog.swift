import StorecastSync
import StorecastWire

/// The text of a stored outbox: a line for each record, behind eight hexadecimal digits of the
/// line's CRC-32 and a space.
///
/// It is written at its end only. A crash may leave the last lines torn, or some of them missing;
/// the first line that isn't whole ends the log. Nothing that matters is lost with the rest, as
/// nothing is sent before it is stored for good.
struct OutboxLog {
    private(set) var text: [UInt8] = []

    mutating func append(_ record: OutboxRecord) {
        var writer = JSONWriter()
        record.write(to: &writer)
        text += ChecksummedLine.text(of: writer.bytes)
    }

    /// The records of a log up to the first line that isn't whole, and whether that is all of it.
    static func read(_ text: [UInt8]) -> (records: [OutboxRecord], isWhole: Bool) {
        var records: [OutboxRecord] = []
        var rest = text[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            guard let record = record(rest[..<end]) else { return (records, false) }
            records.append(record)
            rest = rest[(end + 1)...]
        }
        return (records, rest.isEmpty)
    }

    private static func record(_ line: ArraySlice<UInt8>) -> OutboxRecord? {
        ChecksummedLine.document(in: line, limits: .trusted)
            .flatMap { OutboxRecord(reading: $0.root) }
    }
}

/// A record of a stored outbox: one line.
enum OutboxRecord: Equatable {
    /// The first: whose dispatches these are, and to which room. It comes again whenever a program
    /// opens the outbox, with a number that rises.
    case opened(client: String, room: String, opening: UInt64)
    /// A dispatch was made, or one that was made has another base, as the room's history has lost
    /// its end.
    case dispatched(seq: UInt64, base: UInt64, type: String, payload: [UInt8])
    /// Everything up to this number has its outcome.
    case settled(UInt64)
    /// The dispatch with this number has its outcome.
    case ended(UInt64)

    /// The version of the format; a reader refuses others.
    private static let version: UInt64 = 1

    func write(to writer: inout JSONWriter) {
        switch self {
        case .opened(let client, let room, let opening):
            writer.beginObject()
            writer.member("op", "opened")
            writer.member("version", Self.version)
            writer.member("client", client)
            writer.member("room", room)
            writer.member("opening", opening)
            writer.endObject()
        case .dispatched(let seq, let base, let type, let payload):
            writer.writeDispatch(seq: seq, base: base, settled: 0, type: type, payload: payload)
        case .settled(let seq): Self.write("settled", seq, to: &writer)
        case .ended(let seq): Self.write("ended", seq, to: &writer)
        }
    }

    private static func write(_ op: String, _ seq: UInt64, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("op", op)
        writer.member("seq", seq)
        writer.endObject()
    }

    /// Nil if the line is no record.
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
