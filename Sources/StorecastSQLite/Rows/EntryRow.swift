import GRDB
import GRDBSQLite
import StorecastRoom
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
    /// A later rejection from the table ``Tombstones``; not a column of this one.
    var tombstone: [UInt8]?

    /// The checksum of the entry, chained to that of the entry before it.
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

    /// More text than this isn't kept in one entry: 16 MiB.
    static let largestText = 16 << 20

    /// Throws ``JournalError/unfit(place:_:)`` if a journal doesn't keep such an entry.
    func check(place: Int) throws(JournalError) {
        guard textBytes <= Self.largestText, time.isFinite else {
            throw .unfit(
                place: place,
                "The entry has \(textBytes) bytes; the journal takes \(Self.largestText).")
        }
    }

    /// The size of the row's texts in bytes.
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
        var actions: [JournalAction] = []
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

extension EntryRow {
    /// The columns, in the order in which they are bound and read.
    static let columns = [
        "offset", "checksum", "client", "seq", "base", "settled", "sender", "roles", "time", "seed",
        "schema", "type", "payload", "more", "rejection",
    ]

    private static let columnList = columns.joined(separator: ", ")

    fileprivate static let insertion = """
        INSERT INTO entries (room, \(columnList))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// The entries of a room behind an offset.
    static let selection = """
        SELECT \(columnList) FROM entries WHERE room = ? AND offset > ? ORDER BY offset
        """

    /// Inserts the row with a statement prepared from ``insertion``.
    fileprivate func insert(
        _ binding: inout StatementBinding, room: Int64, at place: LogPlace
    ) throws {
        try binding.bind(room)
        try binding.bind(place.offset)
        try binding.bind(place.checksum)
        try binding.bind(client)
        try binding.bind(seq)
        try binding.bind(base)
        try binding.bind(settled)
        try binding.bind(sender)
        try binding.bind(roles)
        try binding.bind(time)
        try binding.bind(seed)
        try binding.bind(Int64(schema))
        try binding.bind(type)
        try binding.bind(payload)
        try binding.bind(more)
        try binding.bind(rejection)
        try binding.run()
    }

    /// Reads the current row of a statement prepared from ``selection``.
    init(_ columns: StatementColumns) {
        client = columns.text(2)
        seq = columns.number(3)
        base = columns.number(4)
        settled = columns.number(5)
        sender = columns.text(6)
        roles = columns.bytes(7)
        time = columns.double(8)
        seed = columns.number(9)
        schema = Int(Int64(bitPattern: columns.number(10)))
        type = columns.isNull(11) ? nil : columns.text(11)
        payload = columns.bytes(12)
        more = columns.bytes(13)
        rejection = columns.bytes(14)
    }
}

/// Appends rows to the chain of a room; the one place where entries are written.
struct EntryInsertion {
    private var binding: StatementBinding

    /// One at a time for a database, as it uses its cached statement.
    init(into database: Database) throws {
        binding = StatementBinding(
            try database.cachedStatement(sql: EntryRow.insertion), of: database)
    }

    /// Inserts a row after `end`, and moves `end` there.
    mutating func append(
        _ row: EntryRow, at offset: UInt64, to room: Int64, after end: inout LogPlace
    ) throws {
        let checksum = row.checksum(at: offset, after: end.checksum)
        end = LogPlace(offset: offset, checksum: checksum)
        try row.insert(&binding, room: room, at: end)
    }
}
