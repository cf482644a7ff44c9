import StorecastSync
import StorecastWire

extension ClientLedger {
    /// Writes everything that is remembered, the client that was seen last at the end.
    ///
    /// ```json
    /// {"horizon":0,"records":[{"client":"…","identity":"ada","first":1,"seq":2,"reduced":1,"horizon":0,
    ///  "rejections":[{"seq":2,"code":"invalid","title":"…"}]}]}
    /// ```
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("horizon", horizon)
        writer.write(key: "records")
        writer.beginArray()
        for (client, record) in records { record.write(of: client, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// Reads what ``write(to:)`` wrote. Throws a ``SnapshotError``.
    init(_ view: JSONView, window: Int) throws {
        guard let horizon = view["horizon"]?.uint64, let list = view["records"], list.isArray else {
            throw SnapshotError("Its clients lack a horizon or records.")
        }
        let records = try list.elements.map { try Self.record($0) }
        guard Set(records.map { ExactString($0.client) }).count == records.count else {
            throw SnapshotError("A client has two records.")
        }
        self.init(window: window, horizon: horizon, records)
    }

    private static func record(_ view: JSONView) throws -> (client: String, record: Record) {
        guard let client = view["client"]?.string, let identity = view["identity"]?.string,
            let first = view["first"]?.uint64, let seq = view["seq"]?.uint64,
            let reduced = view["reduced"]?.uint64, let horizon = view["horizon"]?.uint64
        else { throw SnapshotError("The record of a client lacks a member.") }
        let rejections = try view["rejections"]?.elements.map { entry in
            guard let seq = entry["seq"]?.uint64, let rejection = Rejection(entry) else {
                throw SnapshotError("A rejection lacks a member.")
            }
            return (seq: seq, rejection: rejection)
        }
        let numbers = (rejections ?? []).map(\.seq)
        guard zip(numbers, numbers.dropFirst()).allSatisfy(<), numbers.last ?? 0 <= seq else {
            throw SnapshotError("The rejections of a client aren't in order.")
        }
        return (
            client,
            Record(
                identity: identity, first: first, lastSeq: seq, rejections: rejections ?? [],
                lastReduced: reduced, horizon: horizon)
        )
    }
}

extension ClientLedger.Record {
    fileprivate func write(of client: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("client", client)
        writer.member("identity", identity)
        writer.member("first", first)
        writer.member("seq", lastSeq)
        writer.member("reduced", lastReduced)
        writer.member("horizon", horizon)
        if !rejections.isEmpty {
            writer.write(key: "rejections")
            writer.beginArray()
            for (seq, rejection) in rejections {
                writer.beginObject()
                writer.member("seq", seq)
                rejection.writeMembers(to: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }
}
