import StorecastSync
import StorecastWire

/// A ``JournalRecord`` as the columns of the table `entries` have it.
struct EntryRow: Equatable {
    var client: String
    var seq: UInt64
    var base: UInt64
    var settled: UInt64
    /// The sender's id, and its roles as a sorted JSON array; nil if there are none.
    var sender: String
    var roles: [UInt8]?
    /// Seconds since 1970.
    var time: Double
    var seed: UInt64
    var schema: Int
    /// The first action; nil if there is none.
    var type: String?
    var payload: [UInt8]?
    /// The other actions, `[{"type":…,"payload":…},…]`; nil if there are none.
    var more: [UInt8]?
    /// `{"code":…,"title":…,"detail":…,"refused":…}`, the last two if there are any; nil if there
    /// is none.
    var rejection: [UInt8]?
    /// A rejection that came later, see ``Tombstones``; not a column.
    var tombstone: [UInt8]?

    /// The entry's link in the chain, behind the one whose checksum is `previous`.
    func checksum(at offset: UInt64, after previous: UInt64) -> UInt64 {
        var checksum = ChainChecksum()
        for number in [
            previous, offset, seq, base, settled, time.bitPattern, seed,
            UInt64(bitPattern: Int64(schema)),
        ] { checksum.add(number) }
        checksum.add(client)
        checksum.add(sender)
        checksum.add(roles)
        if let type { checksum.add(type) } else { checksum.add(nil) }
        checksum.add(payload)
        checksum.add(more)
        checksum.add(rejection)
        return checksum.value
    }

    /// How much the row's texts take, in bytes.
    var textBytes: Int {
        client.utf8.count + sender.utf8.count + (roles?.count ?? 0) + (type?.utf8.count ?? 0)
            + (payload?.count ?? 0) + (more?.count ?? 0) + (rejection?.count ?? 0)
    }
}

extension EntryRow {
    /// The row of a record.
    init(_ record: JournalRecord) {
        client = record.client
        seq = record.seq
        base = record.base
        settled = record.settled
        sender = record.sender.id
        roles = record.sender.roles.isEmpty ? nil : Self.text(roles: record.sender.roles)
        // SQLite has no negative zero.
        time = record.time.secondsSince1970 + 0.0
        seed = record.seed
        schema = record.schema
        type = record.actions.first?.type
        payload = record.actions.first?.payload
        more = record.actions.count > 1 ? Self.text(actions: record.actions.dropFirst()) : nil
        rejection = record.rejection.map { Self.text($0, of: record.refused) }
    }

    /// The record of a row. Throws if a text isn't the JSON that it should be.
    func record() throws -> JournalRecord {
        var actions: [JournalRecord.RecordedAction] = []
        if let type, let payload { actions.append(.init(type: type, payload: payload)) }
        if let more { actions += try Self.actions(more) }
        let outcome = try (tombstone ?? rejection).map { try Self.rejection($0) }
        return JournalRecord(
            client: client, seq: seq, base: base, settled: settled,
            sender: Identity(sender, roles: try roles.map { try Self.roles($0) } ?? []),
            time: Timestamp(secondsSince1970: time), seed: seed, actions: actions,
            rejection: outcome?.0, refused: outcome?.of, schema: schema)
    }
}
