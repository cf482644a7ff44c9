import Foundation
import StorecastTables
import Testing

struct TableCodingTests {
    struct State: Codable, Equatable {
        var cards = Table<Card>()
        var column = OrderedTable<Card>()
    }

    struct Number: Identifiable, Codable, Equatable { var id: Int }

    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test func `a table is an object with a member for each row`() throws {
        let table = Table([Number(id: 2), Number(id: -1), Number(id: 10)])
        #expect(try Self.text(table) == #"{"-1":{"id":-1},"10":{"id":10},"2":{"id":2}}"#)
        let ordered = OrderedTable([Number(id: 2), Number(id: 1)])
        #expect(try Self.text(ordered) == #"{"1":["W",{"id":1}],"2":["V",{"id":2}]}"#)
    }

    @Test func `tables are read back as they were`() throws {
        var state = State()
        for number in 0..<500 {
            state.cards.update(Card(id: "\(number)", title: "é/\(number)"))
            state.column.insert(Card(id: "\(number)"), at: number / 2)
        }
        let read = try Self.read(State.self, Self.text(state))
        #expect(read == state)
        #expect(read.cards.tree.fault == nil && read.column.fault == nil)
        #expect(try Self.read(State.self, Self.text(State())) == State())
    }

    @Test func `members are written in the order of ids`() throws {
        let names = ["b", "a", "\u{e9}", "z", "10", "9"]
        let table = Table(names.map { Card(id: $0) })
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try MemberOrder.of(table) == sorted)
        #expect(try MemberOrder.of(OrderedTable(names.map { Card(id: $0) })) == sorted)
    }

    @Test func `an array of rows is read too`() throws {
        let array = #"[{"id":2},{"id":1},{"id":3}]"#
        #expect(try Self.read(Table<Number>.self, array).ids.elementsEqual([1, 2, 3]))
        let ordered = try Self.read(OrderedTable<Number>.self, array)
        #expect(ordered == OrderedTable([2, 1, 3].map { Number(id: $0) }))
        #expect(try Self.read(OrderedTable<Number>.self, "[]").isEmpty)
    }

    static let refused: [(text: String, says: String)] = [
        (#"{"1":{"id":2}}"#, "another"), (#"{"01":{"id":1}}"#, "isn't an id"),
        (#"{"x":{"id":1}}"#, "isn't an id"), (#"[{"id":1},{"id":2},{"id":1}]"#, #"one id: "1""#),
    ]

    @Test(arguments: refused)
    func `rows that aren't where their id says are refused`(text: String, says: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try Self.read(Table<Number>.self, text)
        }
        #expect(String(describing: error).contains(says))
    }

    static let refusedRanks: [(text: String, says: String)] = [
        (#"{"1":["V",{"id":1}],"2":["V",{"id":2}]}"#, "one rank"),
        (#"{"1":["é",{"id":1}]}"#, "isn't a rank"), (#"{"1":["",{"id":1}]}"#, "isn't a rank"),
        (#"{"1":["V",{"id":1},3]}"#, "a rank and a row"),
        (#"{"1":["V"]}"#, ""), (#"{"1":["V",{"id":2}]}"#, "another"),
        (#"[{"id":1},{"id":1}]"#, #"one id: "1""#), (#"{"1":{"id":1}}"#, ""), ("7", ""),
    ]

    @Test(arguments: refusedRanks)
    func `ranks that aren't, and rows of one rank, are refused`(text: String, says: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try Self.read(OrderedTable<Number>.self, text)
        }
        #expect(says.isEmpty || String(describing: error).contains(says))
    }

    @Test func `an error names the row`() throws {
        let error = #expect(throws: DecodingError.self) {
            try Self.read([String: Table<Number>].self, #"{"a":{"1":{"id":2}}}"#)
        }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
    }

    @Test func `what is neither object nor array is refused as no object`() throws {
        #expect(throws: DecodingError.self) { try Self.read(Table<Number>.self, "7") }
        #expect(throws: DecodingError.self) { try Self.read(Table<Number>.self, #"{"1":7}"#) }
        #expect(throws: DecodingError.self) { try Self.read(Table<Number>.self, "[7]") }
    }

    @Test func `coders with a way of their own are asked for it`() throws {
        let encoder = OwnEncoder()
        try Table([Number(id: 1)]).encode(to: encoder)
        try OrderedTable([Number(id: 2)]).encode(to: encoder)
        #expect(encoder.names == ["a table of 1", "an ordered table of 1"])
        #expect(try Table<Number>(from: OwnDecoder()).isEmpty)
        #expect(try OrderedTable<Number>(from: OwnDecoder()).isEmpty)
    }

    @Test func `ids that an encoder would merge are an error`() throws {
        let cards = [Card(id: "\u{e9}"), Card(id: "e\u{301}")]
        #expect(throws: EncodingError.self) { try Self.text(Table(cards)) }
        #expect(throws: EncodingError.self) { try Self.text(OrderedTable(cards)) }
    }
}

/// An encoder that notes the members of an object, in the order in which they come.
private class MemberOrder: Encoder {
    var names: [String] = []
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] = [:]

    static func of(_ value: some Encodable) throws -> [String] {
        let encoder = MemberOrder()
        try value.encode(to: encoder)
        return encoder.names
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { fatalError() }
    func singleValueContainer() -> any SingleValueEncodingContainer { fatalError() }

    struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: MemberOrder
        var codingPath: [any CodingKey] = []

        mutating func encode(_ value: some Encodable, forKey key: Key) {
            encoder.names.append(key.stringValue)
        }

        mutating func encodeNil(forKey key: Key) {}
        mutating func nestedContainer<Nested>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { fatalError() }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.names.append(key.stringValue)
            return Ignored()
        }
        mutating func superEncoder() -> any Encoder { fatalError() }
        mutating func superEncoder(forKey key: Key) -> any Encoder { fatalError() }
    }

    struct Ignored: UnkeyedEncodingContainer {
        var codingPath: [any CodingKey] = []
        var count = 0
        mutating func encode(_ value: some Encodable) {}
        mutating func encodeNil() {}
        mutating func nestedContainer<Nested>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> { fatalError() }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { fatalError() }
        mutating func superEncoder() -> any Encoder { fatalError() }
    }
}

private final class OwnEncoder: MemberOrder, TableEncoder {
    func encode<Row: Encodable>(_ table: Table<Row>) { names.append("a table of \(table.count)") }

    func encode<Row: Encodable>(_ table: OrderedTable<Row>) {
        names.append("an ordered table of \(table.count)")
    }
}

private struct OwnDecoder: TableDecoder {
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] = [:]

    func decode<Row: Decodable>(_ type: Table<Row>.Type) -> Table<Row>? { Table() }
    func decode<Row: Decodable>(_ type: OrderedTable<Row>.Type) -> OrderedTable<Row>? {
        OrderedTable()
    }

    func container<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> { fatalError() }
    func unkeyedContainer() -> any UnkeyedDecodingContainer { fatalError() }
    func singleValueContainer() -> any SingleValueDecodingContainer { fatalError() }
}
