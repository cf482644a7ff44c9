import Foundation

@testable import StorecastWire

/// A value with members of many types, and ways to change one of them.
struct Specimen: Encodable {
    var title: String
    var cards: [Card]
    var cardsByName: [String: Card]
    var textsByNumber: [Int: [String]]
    var exact: [ExactString: Int?]
    var tagged: [Tag: String]
    var levels: [Level: Card]
    var rows: [[Int]]
    var set: Set<Int>
    var maybe: Card?
    var twice: Int??
    var shape: Shape
    var tree: Tree
    var liar: Liar
    var animal: Animal
    var open: Open
    var mixed: Mixed
    var numbers: Numbers
    var known: Known
    var json: JSON
    var object: JSONObject
    var pair: Pair<Card, [Shape]>
    var others: ContiguousArray<String>

    init(_ random: inout SeededRandom) {
        title = String(&random)
        cards = [Card](&random)
        cardsByName = [String: Card](&random)
        textsByNumber = [Int: [String]](&random)
        exact = [:]
        for name in [String](&random) {
            exact[ExactString(name)] = [nil, .some(nil), 1].any(&random)
        }
        tagged = [.red: String(&random), .blue: String(&random)]
        levels = [.low: Card(&random)]
        rows = [[Int]](&random)
        set = Set([Int](&random))
        maybe = random.below(2) == 0 ? nil : Card(&random)
        twice = [nil, .some(nil), 1, 2].any(&random)
        shape = Shape(&random)
        tree = Tree(&random, depth: 4)
        liar = Liar(note: String(&random), value: Int(&random))
        animal = Self.animal(&random)
        open = Open(&random)
        mixed = Mixed(kind: random.below(7), card: Card(&random))
        numbers = Numbers(&random)
        known = Known(&random)
        json = random.json()
        object = random.json(depth: 2).object ?? [:]
        pair = Pair(left: Card(&random), right: [Shape](&random))
        others = ContiguousArray([String](&random))
    }

    private static func animal(_ random: inout SeededRandom) -> Animal {
        let name = String(&random)
        return random.below(2) == 0
            ? Animal(name: name) : Dog(name: name, tricks: [String](&random))
    }

    /// Like this one, with one member changed.
    func changed(_ random: inout SeededRandom) -> Specimen {
        var new = self
        switch random.below(25) {
        case 0: new.title.change(&random)
        case 1: new.cards.change(&random)
        case 2: new.cardsByName.change(&random)
        case 3: new.textsByNumber.change(&random)
        case 4: new.exact[ExactString(String(&random))] = [nil, .some(nil), 1].any(&random)
        case 5: new.tagged[random.below(2) == 0 ? .red : .blue] = String(&random)
        case 6: new.rows.change(&random)
        case 7: new.set.formSymmetricDifference([random.below(20)])
        case 8: new.maybe = random.below(4) == 0 ? nil : maybe ?? Card(&random)
        case 9: new.maybe?.change(&random)
        case 10: new.twice = [nil, .some(nil), 1, 2].any(&random)
        case 11: new.shape.change(&random)
        case 12: new.tree = tree.changed(&random)
        case 13: new.liar.note.change(&random)
        case 14: new.animal = Self.animal(&random)
        case 15: new.open.change(&random)
        case 16: new.mixed.kind = random.below(7)
        case 17: new.mixed.card.change(&random)
        case 18: new.numbers.change(&random)
        case 19: new.known.change(&random)
        case 20: new.json = random.changed(json)
        case 21: new.object = random.changed(.object(object)).object ?? [:]
        case 22:
            new.levels[random.below(2) == 0 ? .low : .high, default: Card(&random)].change(&random)
        case 23: new.others = ContiguousArray([String](&random))
        default:
            new.pair.left.change(&random)
            new.pair.right.change(&random)
        }
        return new
    }
}

extension Specimen {
    /// With bytes between its members that no copy has.
    struct Card: Encodable, Changing {
        var id: Int
        var isDone: Bool
        var text: String
        var votes: Int?
        var shape: Shape
        var tags: [String]

        init(_ random: inout SeededRandom) {
            id = random.below(40)
            isDone = random.below(2) == 0
            text = String(&random)
            votes = random.below(2) == 0 ? nil : random.below(3)
            shape = Shape(&random)
            tags = [String](&random)
        }

        mutating func change(_ random: inout SeededRandom) {
            switch random.below(6) {
            case 0: id = random.below(40)
            case 1: isDone.toggle()
            case 2: text.change(&random)
            case 3: votes = votes == nil ? 1 : nil
            case 4: shape.change(&random)
            // The same text in other memory.
            default: text = String(decoding: Array(text.utf8), as: UTF8.self)
            }
        }
    }

    enum Tag: String, Encodable { case red, blue }
    enum Level: String, Encodable, CodingKeyRepresentable { case low, high }

    enum Shape: Encodable, Changing {
        case point
        case circle(Double)
        indirect case group([Shape], name: String)

        init(_ random: inout SeededRandom) {
            self = [.point, .circle(Double(Int(&random))), .group([.point], name: "a")].any(&random)
        }

        mutating func change(_ random: inout SeededRandom) {
            if case .group(var shapes, let name) = self, random.below(3) > 0 {
                shapes.change(&random)
                self = .group(shapes, name: name)
            } else {
                self = Shape(&random)
            }
        }
    }

    final class Tree: Encodable {
        let name: String
        let branches: [Tree]

        init(name: String, branches: [Tree]) {
            self.name = name
            self.branches = branches
        }

        convenience init(_ random: inout SeededRandom, depth: Int) {
            let branches = (0..<(depth > 0 ? random.below(4) : 0)).map { _ in
                Tree(&random, depth: depth - 1)
            }
            self.init(name: String(&random), branches: branches)
        }

        func changed(_ random: inout SeededRandom) -> Tree {
            guard let index = branches.indices.randomElement(using: &random), random.below(4) > 0
            else { return Tree(name: String(&random), branches: branches) }
            var branches = branches
            branches[index] = branches[index].changed(&random)
            return Tree(name: name, branches: branches)
        }
    }

    /// Equal to whatever has the same value, also with another note.
    struct Liar: Encodable, Equatable {
        var note: String
        var value: Int
        static func == (left: Liar, right: Liar) -> Bool { left.value == right.value }
    }

    class Animal: Encodable {
        let name: String
        init(name: String) { self.name = name }
    }

    final class Dog: Animal {
        let tricks: [String]

        init(name: String, tricks: [String]) {
            self.tricks = tricks
            super.init(name: name)
        }

        enum CodingKeys: CodingKey { case tricks }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(tricks, forKey: .tricks)
            try super.encode(to: container.superEncoder())
        }
    }

    /// Opens containers in its own, and writes to them in turns.
    struct Open: Encodable {
        var cards: [Card]
        var numbers: [Int]

        init(_ random: inout SeededRandom) {
            cards = [Card](&random)
            numbers = [Int](&random)
        }

        mutating func change(_ random: inout SeededRandom) {
            cards.change(&random)
            numbers.change(&random)
        }

        enum CodingKeys: CodingKey { case list, object, numbers }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            var object = container.nestedContainer(keyedBy: JSONCodingKey.self, forKey: .object)
            for (index, card) in cards.enumerated() {
                try list.encode(card)
                try object.encode(card, forKey: JSONCodingKey("\(index)"))
                if card.isDone { try list.encodeNil() }
            }
            var last = list.nestedContainer(keyedBy: JSONCodingKey.self)
            try last.encode(numbers.count, forKey: JSONCodingKey("count"))
            try numbers.encode(to: container.superEncoder(forKey: .numbers))
        }
    }

    /// Writes something else from case to case, and some of it twice.
    struct Mixed: Encodable {
        var kind: Int
        var card: Card

        func encode(to encoder: any Encoder) throws {
            switch kind {
            case 0: break
            case 1:
                var container = encoder.singleValueContainer()
                try container.encode(card)
            case 2:
                var container = encoder.singleValueContainer()
                try container.encode(card)
                // Both are one object.
                try container.encode(["more": card.id])
            case 3:
                var first = encoder.container(keyedBy: JSONCodingKey.self)
                try first.encode("first", forKey: JSONCodingKey("text"))
                try card.encode(to: encoder)
                try first.encode(card.tags, forKey: JSONCodingKey("text"))
            case 4:
                var container = encoder.unkeyedContainer()
                try container.encode(card)
                try container.encode(card.id)
            case 5:
                var container = encoder.singleValueContainer()
                try container.encode(card)
                try ["more": card.id].encode(to: encoder)
            default: try card.encode(to: encoder)
            }
        }
    }

    struct Numbers: Encodable {
        var double: Double
        var float: Float
        var unsigned: UInt64
        var wide: Int128
        var small: Int8
        var list: [Double]
        var either: Either

        /// The same number as an integer and as a double.
        enum Either: Encodable {
            case integer(Int64)
            case double(Double)

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .integer(let value): try container.encode(value)
                case .double(let value): try container.encode(value)
                }
            }
        }

        private static let doubles = [
            0, -0.0, .nan, .infinity, -.infinity, 0.1, 1e18, -1e300, 0x1p-1074,
        ]

        init(_ random: inout SeededRandom) {
            double = Self.doubles.any(&random)
            float = Float(Self.doubles.prefix(6).any(&random))
            unsigned = random.next()
            wide = Int128(random.next()) * 1_000_000_007
            small = Int8(random.below(100))
            list = (0..<random.below(5)).map { _ in Self.doubles.any(&random) }
            either = random.below(2) == 0 ? .integer(Int64(1e18)) : .double(1e18)
        }

        mutating func change(_ random: inout SeededRandom) {
            let other = Numbers(&random)
            switch random.below(7) {
            case 0: double = other.double
            case 1: float = other.float
            case 2: unsigned = other.unsigned
            case 3: wide = other.wide
            case 4: small = other.small
            case 5: list = list.map { random.below(2) == 0 ? -$0 : $0 }
            default: either = other.either
            }
        }
    }

    /// What Foundation brings.
    struct Known: Encodable {
        var data: Data
        var url: URL
        var decimal: Decimal
        var date: Date
        var id: UUID

        init(_ random: inout SeededRandom) {
            data = Data(
                (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            let base = URL(string: "https://example.org/\(random.below(9))")
            url = URL(string: "a\(random.below(9))", relativeTo: base) ?? URL(filePath: "/")
            if random.below(2) == 0 { url = url.absoluteURL }
            decimal = Decimal(random.below(1000)) / 8
            date = Date(timeIntervalSinceReferenceDate: Double(random.below(1_000_000)) / 7)
            let (high, low) = (random.next(), random.next())
            id = withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.load(as: uuid_t.self)) }
        }

        mutating func change(_ random: inout SeededRandom) {
            let other = Known(&random)
            switch random.below(5) {
            case 0: data.append(7)
            case 1: url = other.url
            case 2: decimal = other.decimal
            case 3: date = other.date
            default: id = other.id
            }
        }
    }

    struct Pair<Left: Encodable, Right: Encodable>: Encodable {
        var left: Left
        var right: Right
    }
}

/// A type whose values can be made and changed by chance.
protocol Changing {
    init(_ random: inout SeededRandom)
    mutating func change(_ random: inout SeededRandom)
}

extension Changing {
    mutating func change(_ random: inout SeededRandom) { self = Self(&random) }
}

extension Int: Changing {
    init(_ random: inout SeededRandom) { self = random.below(9) }
}

extension String: Changing {
    init(_ random: inout SeededRandom) { self = random.word() }
}

extension Collection {
    fileprivate func any(_ random: inout SeededRandom) -> Element {
        self[index(startIndex, offsetBy: random.below(count))]
    }
}

extension Array: Changing where Element: Changing {
    /// Mostly short, at times longer than what is compared element by element.
    init(_ random: inout SeededRandom) {
        let count = random.below(8) == 0 ? 10 + random.below(40) : random.below(6)
        self = (0..<count).map { _ in Element(&random) }
    }

    /// Inserts, removes, changes or moves some elements.
    mutating func change(_ random: inout SeededRandom) {
        for _ in 0...random.below(4) {
            let index = random.below(count + 1)
            switch random.below(5) {
            case 0: insert(Element(&random), at: index)
            case 1 where index < count: remove(at: index)
            case 2 where index < count:
                let element = remove(at: index)
                insert(element, at: random.below(count + 1))
            case _ where index < count: self[index].change(&random)
            default: break
            }
        }
    }
}

extension Dictionary: Changing where Key: Changing & Comparable, Value: Changing {
    init(_ random: inout SeededRandom) {
        let keys = [Key](&random)
        self = Dictionary(keys.map { ($0, Value(&random)) }) { _, last in last }
    }

    mutating func change(_ random: inout SeededRandom) {
        for _ in 0...random.below(3) {
            // Sorted, as a dictionary's order is another one in each process.
            let key = isEmpty ? Key(&random) : keys.sorted().any(&random)
            switch random.below(4) {
            case 0: self[key] = nil
            case 1: self[key]?.change(&random)
            default:
                let key = Key(&random)
                // Of two names that are canonically equivalent, also the other one.
                self[key] = nil
                self[key] = Value(&random)
            }
        }
    }
}
