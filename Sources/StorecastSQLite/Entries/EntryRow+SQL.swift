import GRDB
import GRDBSQLite

extension EntryRow {
    /// The columns of a row, in the order in which they are bound and read.
    private static let columns = [
        "offset", "checksum", "client", "seq", "base", "settled", "sender", "roles", "time", "seed",
        "schema", "type", "payload", "more", "rejection",
    ]

    private static let columnList = columns.joined(separator: ", ")

    static let insertion = """
        INSERT INTO entries (room, \(columnList))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// The entries of a room behind an offset.
    static let selection = """
        SELECT \(columnList) FROM entries WHERE room = ? AND offset > ? ORDER BY offset
        """

    /// All entries of a damaged file, with their rooms.
    static func salvage(in database: Database) throws -> SalvageCursor {
        try SalvageCursor(columns + ["room"], of: "entries", in: database)
    }

    /// Inserts the row with what ``insertion`` was prepared to.
    func insert(
        _ binding: inout StatementBinding, room: Int64, at offset: UInt64, checksum: UInt64
    ) throws {
        try binding.bind(room)
        try binding.bind(offset)
        try binding.bind(checksum)
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

    /// Reads the row at which a statement made of ``selection`` stands.
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
