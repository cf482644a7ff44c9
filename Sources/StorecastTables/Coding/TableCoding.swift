/// An encoder with a way of its own to encode tables, such as one that keeps the text of leaves.
///
/// Without it a table is encoded as an object with a member for each row, in the order of ids.
package protocol TableEncoder: Encoder {
    func encode<Row: Encodable>(_ table: Table<Row>) throws
    func encode<Row: Encodable>(_ table: OrderedTable<Row>) throws
}

/// A decoder with a way of its own to decode tables, or of some of them (nil: as always).
package protocol TableDecoder: Decoder {
    func decode<Row: Decodable>(_ type: Table<Row>.Type) throws -> Table<Row>?
    func decode<Row: Decodable>(_ type: OrderedTable<Row>.Type) throws -> OrderedTable<Row>?
}

extension Table: Encodable where Row: Encodable {
    /// Encodes an object, `{"<text of the id>": row}`, in the order of ids.
    ///
    /// - Throws: `EncodingError` if ids only differ by Unicode's normalisation, which encoders such
    ///   as Foundation's take for one name.
    public func encode(to encoder: any Encoder) throws {
        if let own = encoder as? any TableEncoder { return try own.encode(self) }
        var names = MemberNames()
        var container = encoder.container(keyedBy: MemberKey.self)
        for (id, box) in tree {
            try container.encode(box.row, forKey: names.next(id.keyText, self, encoder))
        }
    }
}

extension Table: Decodable where Row: Decodable {
    /// Decodes an object as ``encode(to:)`` writes it, or an array of rows.
    ///
    /// - Throws: `DecodingError` also for a row whose id isn't its name, and for two with one id.
    public init(from decoder: any Decoder) throws {
        if let own = decoder as? any TableDecoder, let table = try own.decode(Self.self) {
            self = table
            return
        }
        switch try TableContainer(decoder) {
        case .object(let object):
            let members = try object.allKeys.map { key in
                (key.stringValue, try object.decode(Row.self, forKey: key))
            }
            try self.init(members: members, codingPath: object.codingPath)
        case .array(let array):
            try self.init(distinct: array.rows(), codingPath: array.codingPath)
        }
    }

    /// The rows of an object, with their names, in any order. Throws as ``init(from:)``.
    package init(members: [(name: String, row: Row)], codingPath: [any CodingKey]) throws {
        let entries = try members.map {
            (key: try Row.key($0.name, of: $0.row, codingPath), value: RowBox($0.row))
        }
        tree = Tree(entries)
        try entries.map(\.key).check(areDistinct: tree.count, codingPath)
    }

    /// The rows of an array. Throws as ``init(from:)``.
    package init(distinct rows: [Row], codingPath: [any CodingKey]) throws {
        tree = Tree(rows.map { ($0.id, RowBox($0)) })
        try rows.map(\.id).check(areDistinct: tree.count, codingPath)
    }

    /// Sets the members of an object that have changed; nil where one was removed. O(c log n).
    ///
    /// Throws as ``init(from:)``, but for two rows with one id: then there are fewer rows than
    /// members.
    package mutating func setMembers(
        _ members: [(name: String, row: Row?)], codingPath: [any CodingKey]
    ) throws {
        // First what goes: the name of another member may stand for the same id.
        for case let (name, nil) in members { Row.ID(keyText: name).map { _ = tree.remove($0) } }
        for case let (name, row?) in members {
            tree.update(RowBox(row), at: try Row.key(name, of: row, codingPath))
        }
    }
}

extension OrderedTable: Encodable where Row: Encodable {
    /// Encodes an object, `{"<text of the id>": ["<rank>", row]}`, in the order of ids.
    ///
    /// - Throws: `EncodingError` as ``Table/encode(to:)``.
    public func encode(to encoder: any Encoder) throws {
        if let own = encoder as? any TableEncoder { return try own.encode(self) }
        var names = MemberNames()
        var container = encoder.container(keyedBy: MemberKey.self)
        for (id, ranked) in tree {
            var member = container.nestedUnkeyedContainer(
                forKey: try names.next(id.keyText, self, encoder))
            try member.encode(ranked.rank)
            try member.encode(ranked.box.row)
        }
    }
}

extension OrderedTable: Decodable where Row: Decodable {
    /// Decodes an object as ``encode(to:)`` writes it, or an array of rows in their order.
    ///
    /// - Throws: `DecodingError` also for a row whose id isn't its name, for two with one id, for
    ///   two with one rank, and for a text that isn't a rank.
    public init(from decoder: any Decoder) throws {
        if let own = decoder as? any TableDecoder, let table = try own.decode(Self.self) {
            self = table
            return
        }
        switch try TableContainer(decoder) {
        case .object(let object):
            let members = try object.allKeys.map { key in
                var member = try object.nestedUnkeyedContainer(forKey: key)
                let (rank, row) = (try member.decode(Rank.self), try member.decode(Row.self))
                guard member.isAtEnd else {
                    throw DecodingError("A member is a rank and a row", member.codingPath)
                }
                return (key.stringValue, rank, row)
            }
            try self.init(members: members, codingPath: object.codingPath)
        case .array(let array):
            try self.init(distinct: array.rows(), codingPath: array.codingPath)
        }
    }

    /// The rows of an object, with their names and ranks, in any order. Throws as ``init(from:)``.
    package init(
        members: [(name: String, rank: Rank, row: Row)], codingPath: [any CodingKey]
    ) throws {
        for member in members { _ = try Row.key(member.name, of: member.row, codingPath) }
        self.init(members.map { ($0.rank, $0.row) })
        try members.map(\.row.id).check(areDistinct: tree.count, codingPath)
        guard order.count == tree.count else {
            throw DecodingError("Two rows have one rank", codingPath)
        }
    }

    /// The rows of an array, which get even ranks. Throws as ``init(from:)``.
    package init(distinct rows: [Row], codingPath: [any CodingKey]) throws {
        self.init(rows)
        try rows.map(\.id).check(areDistinct: tree.count, codingPath)
    }

    /// Sets the members of an object that have changed; nil where one was removed. O(c log n).
    ///
    /// Throws as ``init(from:)``, but for two rows with one id: then there are fewer rows than
    /// members.
    package mutating func setMembers(
        _ members: [(name: String, ranked: (rank: Rank, row: Row)?)], codingPath: [any CodingKey]
    ) throws {
        // First what goes, as above, and the ranks that rows had: another may have got it.
        for (name, ranked) in members {
            guard let id = Row.ID(keyText: name), let old = rank(of: id) else { continue }
            if ranked?.rank != old { order.remove(old) }
            if ranked == nil { tree.remove(id) }
        }
        for case let (name, ranked?) in members {
            let id = try Row.key(name, of: ranked.row, codingPath)
            tree.update((ranked.rank, RowBox(ranked.row)), at: id)
            order.update(id, at: ranked.rank)
        }
        guard order.count == tree.count else {
            throw DecodingError("Two rows have one rank", codingPath)
        }
    }
}

extension Rank: Codable {
    /// Decodes the text.
    ///
    /// - Throws: `DecodingError` if no rank has it.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let rank = Rank(text: text) else {
            throw DecodingError("This isn't a rank: \(text.debugDescription)", decoder.codingPath)
        }
        self = rank
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

// MARK: - Parts

/// The name of a row in an object.
private struct MemberKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Checks the names for an encoder that may compare them as Swift does, by canonical equivalence.
private struct MemberNames {
    private var names: Set<String> = []

    mutating func next(_ name: String, _ table: Any, _ encoder: any Encoder) throws -> MemberKey {
        guard names.insert(name).inserted else {
            throw EncodingError.invalidValue(
                table,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "Two ids are canonically equivalent: \(name.debugDescription)"))
        }
        return MemberKey(stringValue: name)
    }
}

/// What a table is decoded from.
private enum TableContainer {
    case object(KeyedDecodingContainer<MemberKey>)
    case array(any UnkeyedDecodingContainer)

    init(_ decoder: any Decoder) throws {
        do {
            self = .object(try decoder.container(keyedBy: MemberKey.self))
        } catch DecodingError.typeMismatch(let type, let context) {
            guard let array = try? decoder.unkeyedContainer() else {
                throw DecodingError.typeMismatch(type, context)
            }
            self = .array(array)
        }
    }
}

extension UnkeyedDecodingContainer {
    fileprivate consuming func rows<Row: Decodable>() throws -> [Row] {
        var (container, rows): (Self, [Row]) = (self, [])
        while !container.isAtEnd { rows.append(try container.decode(Row.self)) }
        return rows
    }
}

extension Identifiable where ID: TableKey {
    /// The id of a row, which must be its name.
    fileprivate static func key(
        _ name: String, of row: Self, _ codingPath: [any CodingKey]
    ) throws -> ID {
        let path = codingPath + [MemberKey(stringValue: name)]
        guard let id = ID(keyText: name) else {
            throw DecodingError("This isn't an id: \(name.debugDescription)", path)
        }
        guard ID.areSame(id, row.id) else {
            throw DecodingError("The row's id is another: \(row.id.keyText.debugDescription)", path)
        }
        return id
    }
}

extension Array where Element: TableKey {
    fileprivate func check(areDistinct number: Int, _ codingPath: [any CodingKey]) throws {
        guard number < count else { return }
        let sorted = sorted(by: Element.isOrdered)
        let twice = zip(sorted, sorted.dropFirst()).first { !Element.isOrdered($0, before: $1) }
        throw DecodingError(
            "Two rows have one id: \((twice?.0.keyText ?? "").debugDescription)", codingPath)
    }
}

extension DecodingError {
    fileprivate init(_ text: String, _ codingPath: [any CodingKey]) {
        self = .dataCorrupted(.init(codingPath: codingPath, debugDescription: text))
    }
}
