package import StorecastTables

// Tables as our own coding reads and writes them.

extension JSONNodeEncoder: TableEncoder {
    /// As any encoder does, but for ids that only differ by Unicode's normalisation: here they are
    /// two names.
    func encode<Row: Encodable>(_ table: Table<Row>) throws {
        var container = container(keyedBy: JSONCodingKey.self)
        for (id, box) in table.tree {
            try container.encode(box.row, forKey: JSONCodingKey(id.keyText))
        }
    }

    func encode<Row: Encodable>(_ table: OrderedTable<Row>) throws {
        var container = container(keyedBy: JSONCodingKey.self)
        for (id, ranked) in table.tree {
            try container.encode(RankedRow(ranked), forKey: JSONCodingKey(id.keyText))
        }
    }
}

extension JSONViewDecoder: TableDecoder {
    func decode<Row: Decodable>(_ type: Table<Row>.Type) throws -> Table<Row>? {
        try decodeMembers()
    }

    func decode<Row: Decodable>(_ type: OrderedTable<Row>.Type) throws -> OrderedTable<Row>? {
        try decodeMembers()
    }

    /// A table that is an object: what has changed of it, if it is known from an earlier decoding.
    private func decodeMembers<T: TableOfMembers>() throws -> T? {
        guard view.isObject else { return nil }
        if let recall { return try recall.table(for: self) }
        return try decodeAllMembers()
    }

    /// The members of an object one after another: a container would look each up by its name.
    func decodeAllMembers<T: TableOfMembers>() throws -> T {
        let scope = JSONDecodingScope(self)
        return try T(
            members: view.members.map { name, view in
                (name, try JSONViewDecoder(view, in: scope).decode(T.DecodedMember.self))
            }, codingPath: codingPath)
    }
}

/// A table that is decoded from an object, member by member.
protocol TableOfMembers {
    associatedtype DecodedMember: Decodable

    var count: Int { get }

    init(members: [(name: String, row: DecodedMember)], codingPath: [any CodingKey]) throws
    mutating func setMembers(
        _ members: [(name: String, row: DecodedMember?)], codingPath: [any CodingKey]) throws
}

extension Table: TableOfMembers where Row: Decodable {
    typealias DecodedMember = Row
}

extension OrderedTable: TableOfMembers where Row: Decodable {
    typealias DecodedMember = RankedRow<Row>

    init(members: [(name: String, row: RankedRow<Row>)], codingPath: [any CodingKey]) throws {
        try self.init(
            members: members.map { ($0.name, $0.row.rank, $0.row.row) }, codingPath: codingPath)
    }

    mutating func setMembers(
        _ members: [(name: String, row: RankedRow<Row>?)], codingPath: [any CodingKey]
    ) throws {
        try setMembers(
            members.map { name, member in (name, member.map { (rank: $0.rank, row: $0.row) }) },
            codingPath: codingPath)
    }
}

/// A row of an ordered table as JSON has it: `["<rank>", row]`.
package struct RankedRow<Row> {
    let rank: Rank
    let row: Row

    init(_ entry: (rank: Rank, box: RowBox<Row>)) { (rank, row) = (entry.rank, entry.box.row) }
}

extension RankedRow: Encodable where Row: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(rank)
        try container.encode(row)
    }
}

extension RankedRow: Decodable where Row: Decodable {
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        rank = try container.decode(Rank.self)
        row = try container.decode(Row.self)
        guard container.isAtEnd else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "A member is a rank and a row")
        }
    }
}
