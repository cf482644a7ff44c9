import StorecastTables
import StorecastWire
import Synchronization

// MARK: - Counted rows

/// Counts the rows that a test decodes.
final class Reads: Sendable {
    @TaskLocal static var current: Reads?
    private let count = Mutex(0)

    static func counting(_ test: (Reads) throws -> Void) rethrows {
        let reads = Reads()
        try $current.withValue(reads) { try test(reads) }
    }

    func note() { count.withLock { $0 += 1 } }
    func take() -> Int { count.withLock { count in (count, count = 0).0 } }
}

struct Row: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var text: String

    init(id: Int, text: String = "") { (self.id, self.text) = (id, text) }

    init(from decoder: any Decoder) throws {
        Reads.current?.note()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
    }
}

/// Tables in many places.
struct Rows: Codable, Equatable {
    var title = ""
    var all: Table<Row>
    var sorted: OrderedTable<Row>
    var more: Table<Row>?
    var parts: [Table<Row>]
    var named: [String: Table<Row>]
    var boxes: Table<Box>
    var loose: Table<Loose> = [Loose(id: "a")].reduce(into: Table()) { $0.update($1) }

    init(_ rows: [Row]) {
        all = Table(rows)
        sorted = OrderedTable(rows.prefix(5))
        parts = rows.prefix(3).map { Table([$0]) }
        named = ["é": Table(rows.prefix(2))]
        boxes = Table([Box(id: "a", rows: Table(rows.prefix(3))), Box(id: "b")])
    }

    struct Box: Codable, Equatable, Identifiable {
        var id: String
        var name = ""
        var rows = Table<Row>()
    }

    /// A row whose id has several texts.
    struct Loose: Codable, Equatable, Identifiable {
        var id: ID

        struct ID: TableKey, Codable {
            let keyText: String
            init(keyText: String) { self.keyText = keyText.lowercased() }
            init(from decoder: any Decoder) throws {
                self.init(keyText: try decoder.singleValueContainer().decode(String.self))
            }
            func encode(to encoder: any Encoder) throws { try keyText.encode(to: encoder) }
            static func isOrdered(_ a: Self, before b: Self) -> Bool { a.keyText < b.keyText }
        }

        init(id: String) { self.id = ID(keyText: id) }
    }
}

// MARK: - Random values

/// Tables in tables, in arrays, dictionaries and optionals, at the top and deep down.
struct Shelf: Codable {
    var title: String
    var books: Table<Book>
    var order: OrderedTable<Book>
    var boxes: [[Book]]
    var byName: [String: Table<Leaf>]
    var byNumber: [Int: OrderedTable<Leaf>]
    var maybe: Table<Book>?
    var choice: Choice
    var json: JSON

    enum Choice: Codable {
        case leaves(Table<Leaf>)
        case books(OrderedTable<Book>, [String])
        case none
    }

    struct Book: Codable, Identifiable {
        var id: String
        var title: String
        var leaves: Table<Leaf>
        var notes: OrderedTable<Leaf>?
    }

    struct Leaf: Codable, Identifiable {
        var id: Int
        var text: String
        var tags: [String]
    }
}

extension Shelf {
    init(_ random: inout SeededRandom) {
        title = random.word()
        books = Table(random.several { Book(&$0) })
        order = OrderedTable(random.several { Book(&$0) })
        boxes = random.several { random in random.several { Book(&$0) } }
        byName = [:]
        for name in random.several({ $0.word() }) { byName[name] = random.leaves() }
        byNumber = [:]
        for _ in 0..<random.below(3) {
            byNumber[random.below(9)] = OrderedTable(random.several { Leaf(&$0) })
        }
        maybe = random.below(3) == 0 ? nil : Table(random.several { Book(&$0) })
        choice =
            switch random.below(3) {
            case 0: .leaves(random.leaves())
            case 1: .books(OrderedTable(random.several { Book(&$0) }), ["a"])
            default: .none
            }
        json = random.json(depth: 2)
    }

    mutating func change(_ random: inout SeededRandom) {
        switch random.below(12) {
        case 0: title = random.word()
        case 1, 2, 3: books.change(&random)
        case 4: order.change(&random)
        case 5:
            boxes.change(&random) { random in
                random.several { Book(&$0) }
            } changed: {
                $0.change(&$1) {
                    Book(&$0)
                } changed: {
                    $0.change(&$1)
                }
            }
        case 6: byName[byName.keys.sorted().first ?? "x", default: random.leaves()].change(&random)
        case 7: byName[random.word()] = random.below(2) == 0 ? nil : random.leaves()
        case 8:
            for key in byNumber.keys.sorted().prefix(1) { byNumber[key]?.change(&random) }
        case 9: maybe?.change(&random)
        case 10: (maybe, choice) = (Shelf(&random).maybe, Shelf(&random).choice)
        default:
            if case .leaves(var leaves) = choice {
                leaves.change(&random)
                choice = .leaves(leaves)
            } else {
                json = random.changed(json)
            }
        }
    }
}

protocol RandomRow: Identifiable where ID: TableKey {
    init(_ random: inout SeededRandom)
    mutating func change(_ random: inout SeededRandom)
}

extension Shelf.Book: RandomRow {
    init(_ random: inout SeededRandom) {
        self.init(
            id: random.word(), title: random.word(), leaves: random.leaves(),
            notes: random.below(2) == 0 ? nil : OrderedTable(random.several { Shelf.Leaf(&$0) }))
    }

    mutating func change(_ random: inout SeededRandom) {
        switch random.below(4) {
        case 0: title = random.word()
        case 1, 2: leaves.change(&random)
        default:
            if notes == nil { notes = OrderedTable() }
            notes?.change(&random)
        }
    }
}

extension Shelf.Leaf: RandomRow {
    init(_ random: inout SeededRandom) {
        self.init(id: random.below(12), text: random.word(), tags: random.several { $0.word() })
    }

    mutating func change(_ random: inout SeededRandom) {
        if random.below(2) == 0 { text = random.word() } else { tags.append(random.word()) }
    }
}

extension Table where Row: RandomRow {
    mutating func change(_ random: inout SeededRandom) {
        let place = isEmpty ? nil : rows[random.below(count)].id
        switch (random.below(4), place) {
        case (0, _), (_, nil): update(Row(&random))
        case (1, let id?): remove(id: id)
        case (_, let id?): self[id: id]?.change(&random)
        }
    }
}

extension OrderedTable where Row: RandomRow {
    mutating func change(_ random: inout SeededRandom) {
        let place = isEmpty ? nil : self[random.below(count)].id
        switch (random.below(6), place) {
        case (0, _), (_, nil): insert(Row(&random), at: 0)
        case (1, let id?): remove(id: id)
        case (2, let id?), (3, let id?): move(id: id, to: random.below(count))
        case (_, let id?): self[id: id]?.change(&random)
        }
    }
}

extension Array {
    mutating func change(
        _ random: inout SeededRandom, new: (inout SeededRandom) -> Element,
        changed: (inout Element, inout SeededRandom) -> Void
    ) {
        switch isEmpty ? 0 : random.below(4) {
        case 0: insert(new(&random), at: random.below(count + 1))
        case 1: remove(at: random.below(count))
        case 2: insert(remove(at: random.below(count)), at: random.below(count + 1))
        default: changed(&self[random.below(count)], &random)
        }
    }
}

extension SeededRandom {
    mutating func several<Element>(_ make: (inout SeededRandom) -> Element) -> [Element] {
        (0..<below(4)).map { _ in make(&self) }
    }

    mutating func leaves() -> Table<Shelf.Leaf> { Table(several { Shelf.Leaf(&$0) }) }

    /// A patch as a server makes it, or any operations on the value, which it needn't survive.
    mutating func patch(of json: JSON) -> JSONPatch {
        if below(4) > 0, var shelf = try? JSONCoding.decode(Shelf.self, from: json) {
            for _ in 0...below(3) { shelf.change(&self) }
            if let new = try? JSONCoding.encodeTree(shelf) {
                return JSONPatch.diff(from: json, to: new)
            }
        }
        return JSONPatch((0...below(3)).map { _ in operation(on: json) })
    }

    private mutating func operation(on json: JSON) -> JSONPatch.Operation {
        let (path, other) = (pointer(into: json), pointer(into: json))
        let value = (try? other.resolve(in: json)) ?? .null
        switch below(7) {
        case 0: return .remove(path: path)
        case 1: return .move(from: other, path: path)
        case 2: return .copy(from: other, path: path)
        case 3: return .add(path: path.appending(below(3) == 0 ? "-" : word()), value: value)
        case 4: return .add(path: path, value: value)
        default:
            let same = (try? path.resolve(in: json)) ?? .null
            return .replace(path: path, value: below(2) == 0 ? same : changed(same))
        }
    }

    private mutating func pointer(into json: JSON) -> JSONPointer {
        var (pointer, value) = (JSONPointer(), json)
        while below(6) > 0 {
            switch value {
            case .object(let object) where !object.isEmpty:
                let (key, member) = Array(object)[below(object.count)]
                (pointer, value) = (pointer.appending(key), member)
            case .array(let elements) where !elements.isEmpty:
                let index = below(elements.count)
                (pointer, value) = (pointer.appending(index), elements[index])
            default: return pointer
            }
        }
        return pointer
    }
}

// MARK: - Types that read in ways of their own

/// Reads `{"kind": 0, "rows": {…}}`.
protocol Unusual: Decodable, Equatable, Sendable {}

enum UnusualTypes {
    static let all: [any Unusual.Type] = [
        Twice.self, AsDictionaryToo.self, Sometimes.self, WithTree.self, WithObject.self,
        OneOrOther.self, OneAndOther.self, Counting.self, Forgiving.self, Wrapped.self,
        Single.self, Ordered.self, Guessing.self, Trying.self,
    ]
}

private enum Keys: CodingKey { case kind, rows }

/// Asks twice for one table.
struct Twice: Unusual {
    var first, second: Table<Row>

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        first = try container.decode(Table<Row>.self, forKey: .rows)
        second = try container.decode(Table<Row>.self, forKey: .rows)
    }
}

/// Asks for the table, and for a dictionary in the same place.
struct AsDictionaryToo: Unusual {
    var rows: Table<Row>
    var dictionary: [String: Row]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        rows = try container.decode(Table<Row>.self, forKey: .rows)
        dictionary = try container.decode([String: Row].self, forKey: .rows)
    }
}

/// Doesn't always ask for the table.
struct Sometimes: Unusual {
    var rows: Table<Row>?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        if try container.decode(Int.self, forKey: .kind) != 1 {
            rows = try container.decode(Table<Row>.self, forKey: .rows)
        }
    }
}

/// Asks for the tree around the table.
struct WithTree: Unusual {
    var tree: JSON
    var rows: Table<Row>

    init(from decoder: any Decoder) throws {
        tree = try decoder.singleValueContainer().decode(JSON.self)
        rows = try decoder.container(keyedBy: Keys.self).decode(Table<Row>.self, forKey: .rows)
    }
}

/// Asks for the tree in the table's place.
struct WithObject: Unusual {
    var tree: JSON
    var rows: Table<Row>

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        rows = try container.decode(Table<Row>.self, forKey: .rows)
        tree = try JSON(from: try container.superDecoder(forKey: .rows))
    }
}

struct Other: Decodable, Equatable, Identifiable, Sendable { var id: Int }

/// Asks for a table of one type or another.
struct OneOrOther: Unusual {
    var rows: Table<Row>?
    var others: Table<Other>?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        if try container.decode(Int.self, forKey: .kind) == 0 {
            rows = try container.decode(Table<Row>.self, forKey: .rows)
        } else {
            others = try container.decode(Table<Other>.self, forKey: .rows)
        }
    }
}

/// Asks for tables of two types in one place.
struct OneAndOther: Unusual {
    var rows: Table<Row>
    var others: Table<Other>

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        others = try container.decode(Table<Other>.self, forKey: .rows)
        rows = try container.decode(Table<Row>.self, forKey: .rows)
    }
}

/// Looks at the names of the rows too.
struct Counting: Unusual {
    var names: [String]
    var rows: Table<Row>

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        rows = try container.decode(Table<Row>.self, forKey: .rows)
        let inner = try container.nestedContainer(keyedBy: RowName.self, forKey: .rows)
        names = inner.allKeys.map(\.stringValue)
    }

    struct RowName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// Takes no notice of faults: as dictionary of numbers it can't be read.
struct Forgiving: Unusual {
    var rows: Table<Row>
    var numbers: [String: Int]?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        numbers = try? container.decode([String: Int].self, forKey: .rows)
        rows = try container.decode(Table<Row>.self, forKey: .rows)
    }
}

/// Tries a table that can't be read before the one that can.
struct Guessing: Unusual {
    struct Strict: Decodable, Equatable, Identifiable, Sendable {
        var id: Int
        var missing: String
    }
    var strict: Table<Strict>?
    var rows: Table<Row>

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        strict = try? container.decode(Table<Strict>.self, forKey: .rows)
        rows = try container.decode(Table<Row>.self, forKey: .rows)
    }
}

/// Takes the table for another type's if it can.
struct Trying: Unusual {
    var others: Table<Other>?
    var rows: Table<Row>

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        others = try? container.decode(Table<Other>.self, forKey: .rows)
        rows = try container.decode(Table<Row>.self, forKey: .rows)
    }
}

/// Reads the table through a type and a decoder of its own.
struct Wrapped: Unusual {
    struct Inner: Decodable, Equatable, Sendable {
        var rows: Table<Row>
        init(from decoder: any Decoder) throws {
            rows = try decoder.singleValueContainer().decode(Table<Row>.self)
        }
    }
    var inner: Inner

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        inner = try Inner(from: container.superDecoder(forKey: .rows))
    }
}

/// Has one row of the table by itself.
struct Single: Unusual {
    struct Only: Decodable, Equatable, Sendable {
        var row: Row
        enum CodingKeys: String, CodingKey { case row = "1" }
    }
    var rows: Table<Row>
    var only: Only

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        rows = try container.decode(Table<Row>.self, forKey: .rows)
        only = try container.decode(Only.self, forKey: .rows)
    }
}

/// Makes something else of the rows.
struct Ordered: Unusual {
    var rows: OrderedTable<Row>

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        rows = OrderedTable(try container.decode(Table<Row>.self, forKey: .rows).rows)
    }
}
