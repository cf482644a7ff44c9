package import StorecastTables

// Tables as our own coding reads, writes and compares them.

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
    /// The members of an object one after another: a container would look each up by its name.
    func decode<Row: Decodable>(_ type: Table<Row>.Type) throws -> Table<Row>? {
        guard view.isObject else { return nil }
        let scope = JSONDecodingScope(self)
        return try Table(
            members: view.members.map { name, view in
                (name, try JSONViewDecoder(view, in: scope).decode(Row.self))
            }, codingPath: codingPath)
    }

    func decode<Row: Decodable>(_ type: OrderedTable<Row>.Type) throws -> OrderedTable<Row>? {
        guard view.isObject else { return nil }
        let scope = JSONDecodingScope(self)
        return try OrderedTable(
            members: view.members.map { name, view in
                let member = try JSONViewDecoder(view, in: scope).decode(RankedRow<Row>.self)
                return (name, member.rank, member.row)
            }, codingPath: codingPath)
    }
}

/// A row of an ordered table as JSON has it: `["<rank>", row]`.
package struct RankedRow<Row> {
    let rank: Rank
    let row: Row

    init(_ ranked: (rank: Rank, row: Row)) { (rank, row) = ranked }
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

extension Table: NamedMembers where Row: Encodable {
    package typealias Member = Row

    package func forEachChange(
        since old: Self, _ report: (_ name: String, _ old: Row?, _ new: Row?) throws -> Void
    ) rethrows {
        for change in changes(from: old, isEqual: { _, _ in false }) {
            try report(change.id.keyText, change.old, change.new)
        }
    }
}

extension OrderedTable: NamedMembers where Row: Encodable {
    package typealias Member = RankedRow<Row>

    package func forEachChange(
        since old: Self,
        _ report: (_ name: String, _ old: RankedRow<Row>?, _ new: RankedRow<Row>?) throws -> Void
    ) rethrows {
        for change in tree.changes(from: old.tree, isEqual: { _, _ in false }) {
            try report(
                change.key.keyText, change.old.map { RankedRow($0) },
                change.new.map { RankedRow($0) })
        }
    }
}
