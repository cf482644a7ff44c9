import Foundation
import Testing

@testable import StorecastWire

@Suite struct EncodedDiffTests {
    /// Checks the patch against the trees of both, and the patch that these give.
    @discardableResult
    private func expectDiff<T: Encodable>(
        _ old: T, _ new: T, _ name: Comment? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> JSONPatch {
        let before = try JSONCoding.encodeTree(old)
        let after = try JSONCoding.encodeTree(new)
        let (patch, growth) = try JSONPatch.diff(encoding: old, new)
        var value = before
        try patch.apply(to: &value, limits: .trusted)
        #expect(value == after, name, sourceLocation: location)
        #expect(value.canonicalBytes == after.canonicalBytes, name, sourceLocation: location)
        #expect(growth == after.encodedSize - before.encodedSize, name, sourceLocation: location)
        #expect(patch.isEmpty == (before == after), name, sourceLocation: location)
        let usual = JSONPatch.diff(from: before, to: after)
        #expect(size(patch) <= 2 * size(usual) + 64, name, sourceLocation: location)
        return patch
    }

    private func size(_ patch: JSONPatch) -> Int {
        patch.operations.reduce(0) { $0 + $1.encodedSize }
    }

    @Test func `applied to the JSON of the old value it gives that of the new one`() throws {
        var (sum, usual) = (0, 0)
        for seed in 0..<200 {
            var random = SeededRandom(UInt64(seed))
            let old = Specimen(&random)
            var new = old
            for _ in 0...random.below(4) { new = new.changed(&random) }
            let patch = try expectDiff(old, new, "seed \(seed)")
            sum += size(patch)
            usual += size(
                .diff(from: try JSONCoding.encodeTree(old), to: try JSONCoding.encodeTree(new)))
        }
        #expect(sum * 100 < usual * 102)
    }

    @Test func `values that have nothing to do with one another are turned into each other`() throws
    {
        for seed in 0..<30 {
            var random = SeededRandom(UInt64(seed))
            let (old, new) = (Specimen(&random), Specimen(&random))
            try expectDiff(old, new, "seed \(seed)")
            try expectDiff([old, new], [new, old, new], "seed \(seed)")
        }
    }

    @Test func `a value made again gives an empty patch`() throws {
        for seed in 0..<30 {
            var (first, second) = (SeededRandom(UInt64(seed)), SeededRandom(UInt64(seed)))
            var (old, new) = (Specimen(&first), Specimen(&second))
            // Arrays, in an order that follows from where they are in memory.
            (old.set, new.set, old.tagged, new.tagged) = ([], [], [:], [:])
            #expect(try expectDiff(old, old).isEmpty)
            #expect(try expectDiff(old, new).isEmpty)
        }
    }

    struct Card: Encodable, Changing {
        var id: Int
        var isDone = false
        var text: String

        init(_ id: Int) {
            self.id = id
            text = "a card with some text on it, and a number: \(id)"
        }

        init(_ random: inout SeededRandom) { self.init(random.below(200)) }
        mutating func change(_ random: inout SeededRandom) { text.change(&random) }
    }

    @Test func `long lists are changed into any other list of the same cards`() throws {
        for seed in 0..<150 {
            var random = SeededRandom(UInt64(seed))
            let old = (0..<20 + random.below(60)).map { Card($0) }
            var new = old
            let edits = random.below(3) == 0 ? 30 : 4
            for _ in 0..<random.below(edits) {
                new.change(&random)
            }
            try expectDiff(old, new, "seed \(seed)")
        }
    }

    @Test func `long lists of few values are changed into any other`() throws {
        for seed in 0..<150 {
            var random = SeededRandom(UInt64(seed))
            let old = (0..<20 + random.below(60)).map { _ in random.below(3) }
            var new = old
            for _ in 0..<random.below(9) { new.change(&random) }
            try expectDiff(old, new, "seed \(seed)")
            try expectDiff(old.map { [$0] }, new.map { [$0] }, "seed \(seed)")
        }
    }

    @Test func `how much longer a text gets is known from what differs`() {
        for seed in 0..<2000 {
            var random = SeededRandom(UInt64(seed))
            let old = random.json()
            let new = random.below(10) == 0 ? random.json() : random.changed(old)
            #expect(JSON.growth(from: old, to: new) == new.encodedSize - old.encodedSize)
        }
        #expect(JSON.growth(from: [0, ["a": 1e18]], to: [-0.0, ["a": .int(Int64(1e18))]]) != 0)
    }

    // MARK: What is the same

    @Test func `bytes that a copy doesn't have don't count`() {
        struct Padded {
            var flag: Bool
            var text: String
            var number: Int?
            var shape: Specimen.Shape
        }
        let text = String(repeating: "long ", count: 9)
        var value = Padded(flag: true, text: text, number: nil, shape: .point)
        withUnsafeTemporaryAllocation(of: Padded.self, capacity: 2) { copies in
            let memory = UnsafeMutableRawBufferPointer(copies)
            memory.initializeMemory(as: UInt8.self, repeating: 0)
            memory.suffix(from: MemoryLayout<Padded>.stride).indices.forEach { memory[$0] = 0xff }
            guard let first = copies.baseAddress else { return }
            withUnsafePointer(to: value) { value in
                first.initialize(from: value, count: 1)
                (first + 1).initialize(from: value, count: 1)
            }
            #expect(first.bytes != (first + 1).bytes)
            #expect(isSameMemory(first, first + 1))
            copies.deinitialize()
        }
        let old = value
        value.number = 0
        #expect(!isSameMemory(old, value))
        value = old
        value.text += "!"
        #expect(!isSameMemory(old, value))
    }

    @Test func `what an == takes for the same is told apart`() throws {
        #expect(try !expectDiff("\u{e9}", "e\u{301}").isEmpty)
        #expect(try !expectDiff(["\u{e9}": 1], ["e\u{301}": 1]).isEmpty)
        #expect(try !expectDiff(["a": ["\u{e9}"]], ["a": ["e\u{301}"]]).isEmpty)
        let liars = [Specimen.Liar(note: "a", value: 1), Specimen.Liar(note: "b", value: 1)]
        #expect(try !expectDiff(liars[0], liars[1]).isEmpty)
        #expect(try !expectDiff(["x": liars[0]], ["x": liars[1]]).isEmpty)
    }

    @Test func `numbers worth the same are no change, though one text may be longer`() throws {
        #expect(try expectDiff(0.0, -0.0).isEmpty)
        #expect(try expectDiff([1, 0.0], [1, -0.0]).isEmpty)
        #expect(try expectDiff(Line(y: 0.0), Line(y: -0.0)).isEmpty)
        #expect(try expectDiff(["a": [0.0, 1]], ["a": [-0.0, 2]]).operations.count == 1)
        typealias Either = Specimen.Numbers.Either
        #expect(try expectDiff([Either.integer(Int64(1e18))], [.double(1e18)]).isEmpty)
    }

    private struct Line: Encodable {
        var y: Double

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(1)
            try container.encode(y)
        }
    }

    @Test func `changed members come in the order of their names`() throws {
        let names = (0..<40).map { "member \($0)" }
        let long = String(repeating: "long ", count: 9)
        let old = Dictionary(uniqueKeysWithValues: names.map { ($0, long) })
        var new = old
        for name in names[3..<7] { new[name] = "changed" }
        new["member 1"] = nil
        new["another"] = "added"
        let patch = try expectDiff(old, new)
        #expect(
            patch.operations.map(\.path.description) == [
                "/another", "/member 1", "/member 3", "/member 4", "/member 5", "/member 6",
            ])
    }

    @Test func `what is smaller to replace is replaced`() throws {
        let rest = [String(repeating: "x", count: 300)]
        let old = Specimen.Pair(left: ["a": 1, "b": 2, "c": 3], right: rest)
        let new = Specimen.Pair(left: ["a": 4, "b": 5, "c": 6], right: rest)
        #expect(
            try expectDiff(old, new).operations
                == [.replace(path: JSONPointer(["left"]), value: ["a": 4, "b": 5, "c": 6])])
        struct Tags: Encodable {
            var a: Specimen.Tag, b: Specimen.Tag, c: Specimen.Tag
        }
        let (reds, blues) = (Tags(a: .red, b: .red, c: .red), Tags(a: .blue, b: .blue, c: .blue))
        #expect(
            try expectDiff(
                Specimen.Pair(left: reds, right: rest), Specimen.Pair(left: blues, right: rest)
            ).operations.map(\.path) == [JSONPointer(["left"])])
    }

    // MARK: Work

    /// How many values were encoded.
    private final class Meter {
        private(set) var count = 0
        func add() { count += 1 }
    }

    private struct Metered: Encodable {
        let meter: Meter
        var id: Int
        var text: String

        enum CodingKeys: CodingKey { case id, text }

        func encode(to encoder: any Encoder) throws {
            meter.add()
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(text, forKey: .text)
        }
    }

    private struct Board: Encodable {
        let meter: Meter
        var title = "a board"
        var settings = ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5]
        var cards: [Metered]
        var byName: [String: Metered]

        init(_ count: Int) {
            let meter = Meter()
            self.meter = meter
            cards = (0..<count).map { Metered(meter: meter, id: $0, text: "the card \($0)") }
            byName = Dictionary(uniqueKeysWithValues: cards.map { ("card \($0.id)", $0) })
        }

        enum CodingKeys: CodingKey { case title, settings, cards, byName }

        /// How many cards are encoded to find out what `change` did.
        func cost(of change: (inout Board) -> Void) throws -> Int {
            var new = self
            change(&new)
            let before = meter.count
            var diff = EncodedDiff()
            try diff.compare(self, new)
            #expect(diff.encodedCount < 20)
            #expect(!diff.diff.operations.isEmpty)
            return meter.count - before
        }
    }

    @Test func `of ten thousand cards only those that changed are encoded`() throws {
        let board = Board(10_000)
        #expect(try board.cost { $0.title = "another" } == 0)
        #expect(try board.cost { $0.cards[5_000].text = "another" } == 2)
        #expect(try board.cost { $0.byName["card 17"]?.text = "another" } == 2)
        #expect(try board.cost { $0.byName["card 17"] = nil } == 1)
        #expect(
            try board.cost {
                $0.cards[3].text = "another"
                $0.cards[9_990].text = "another"
                $0.cards.append($0.cards[0])
            } < 10)
        #expect(
            try board.cost {
                for index in [3, 4, 5, 9_990] { $0.cards[index].text = "another" }
            } < 20)
        #expect(try board.cost { $0.cards.insert($0.cards.remove(at: 9_000), at: 4) } == 2)
        // Whether it is smaller to replace the board takes no more of it than the patch is long.
        #expect(try board.cost { $0.settings = $0.settings.mapValues { $0 + 1 } } < 10)
    }

    @Test func `of a deep value only the way to what changed is encoded`() throws {
        let leaf = Specimen.Tree(name: "leaf", branches: [])
        func tree(_ levels: Int, _ leaf: Specimen.Tree) -> Specimen.Tree {
            (0..<levels).reduce(leaf) { tree, level in
                Specimen.Tree(name: "\(level)", branches: [other, tree, other])
            }
        }
        let other = Specimen.Tree(name: "other", branches: [leaf, leaf, leaf])
        let (old, new) = (tree(20, leaf), tree(20, other))
        try expectDiff(old, new)
        var diff = EncodedDiff()
        try diff.compare(old, new)
        // A tree and its array for each level, and the three new ones.
        #expect(diff.encodedCount <= 2 * 21 + 3)
    }

    /// Tells what changed by itself.
    private struct Rows: NamedMembers {
        var rows: [String: Metered]
        var changed: [String]

        var count: Int { rows.count }

        func encode(to encoder: any Encoder) throws { try rows.encode(to: encoder) }

        func forEachChange(
            since old: Rows, _ report: (String, Metered?, Metered?) throws -> Void
        ) rethrows {
            for name in changed { try report(name, old.rows[name], rows[name]) }
        }
    }

    @Test func `a value that knows what changed is asked`() throws {
        let meter = Meter()
        let rows = ["a": 1, "b": 2].mapValues { Metered(meter: meter, id: $0, text: "a row") }
        let old = Rows(rows: rows, changed: [])
        var new = old
        new.changed = ["a", "b", "c"]
        new.rows["a"]?.text = "another"
        new.rows["c"] = Metered(meter: meter, id: 3, text: "c")
        try expectDiff(["rows": old], ["rows": new])
        // It is believed.
        new.changed = ["c"]
        #expect(try JSONPatch.diff(encoding: old, new).patch.operations.count == 1)
    }

    // MARK: Faults

    @Test(arguments: [(498, 499), (499, 500), (499, 501), (499, 2000)])
    func `what couldn't be written whole is no patch either`(_ old: Int, _ new: Int) throws {
        let (before, after) = (note(old), note(new))
        if max(old, new) <= 500 {
            try expectDiff(before, after)
        } else {
            #expect {
                try JSONPatch.diff(encoding: before, after)
            } throws: { error in
                JSONCoding.message(for: error) == "Arrays and objects nested over 500 levels."
            }
        }
        let tree = (0..<new).reduce(JSON.null) { value, _ in [value] }
        #expect(
            (try? JSONPatch.diff(encoding: ["a": JSON.null], ["a": tree])) == nil || new < 500)
    }

    private func note(_ levels: Int) -> UnusualValuesTests.Note { .nested(levels) }

    private struct Fault: Error {}

    /// Doesn't mind a value in it that can't be encoded.
    private struct Careless: Encodable {
        var number: Int
        var fails: Bool

        enum CodingKeys: CodingKey { case number, part }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try? container.encode(Part(number: number, fails: fails), forKey: .part)
            try container.encode(number, forKey: .number)
        }

        struct Part: Encodable {
            var number: Int
            var fails: Bool

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(number, forKey: .number)
                if fails { throw Fault() }
            }
        }
    }

    @Test func `an error of a value is an error, unless the value around it is content`() throws {
        typealias Part = Careless.Part
        #expect(throws: Fault.self) {
            try JSONPatch.diff(
                encoding: [Part(number: 1, fails: false)], [Part(number: 2, fails: true)])
        }
        try expectDiff(Careless(number: 1, fails: false), Careless(number: 2, fails: true))
        try expectDiff(Careless(number: 1, fails: true), Careless(number: 2, fails: true))
    }
}

extension UnsafeMutablePointer {
    fileprivate var bytes: [UInt8] {
        Array(UnsafeRawBufferPointer(start: self, count: MemoryLayout<Pointee>.size))
    }
}
