import StorecastTables
import Testing

struct SortedTreeTests {
    /// A version of a tree, and the dictionary that it should be like.
    struct Version {
        var tree = SmallTree()
        var model: [Int: String] = [:]

        mutating func set(_ key: Int, to value: String) {
            #expect(tree.update(value, at: key) == model.updateValue(value, forKey: key))
        }

        mutating func remove(_ key: Int) {
            #expect(tree.remove(key) == model.removeValue(forKey: key))
        }

        func check(_ seed: UInt64) {
            #expect(tree.fault == nil, "seed \(seed)")
            let sorted = model.sorted { $0.key < $1.key }
            #expect(tree.map(\.key) == sorted.map(\.key), "seed \(seed)")
            #expect(tree.map(\.value) == sorted.map(\.value), "seed \(seed)")
            #expect(tree.count == model.count && tree.isEmpty == model.isEmpty)
        }

        /// Compares what the tree says has changed with what the dictionaries say.
        func checkChanges(from old: Version, _ seed: UInt64) {
            let found = tree.changes(from: old.tree, isEqual: ==)
                .map { "\($0.key) \($0.old ?? "-") \($0.new ?? "-")" }
            let expected = Set(model.keys).union(old.model.keys).sorted()
                .filter { model[$0] != old.model[$0] }
                .map { "\($0) \(old.model[$0] ?? "-") \(model[$0] ?? "-")" }
            #expect(found == expected, "seed \(seed)")
        }
    }

    /// Changes that a history makes, each with a shape of its own.
    enum Shape: CaseIterable {
        case random, ascending, descending, growAndShrink, oneHotPlace
    }

    @Test(arguments: Shape.allCases, 0..<2 as Range<UInt64>)
    func `a tree does what a dictionary does, and old versions stay as they were`(
        shape: Shape, seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var (now, kept): (Version, [Version]) = (Version(), [Version()])
        for step in 0..<1_000 {
            let value = "\(step)"
            switch shape {
            case .random:
                let key = Int.random(in: 0..<300, using: &random)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    now.remove(key)
                } else {
                    now.set(key, to: value)
                }
            case .ascending: now.set(step, to: value)
            case .descending: now.set(-step, to: value)
            case .growAndShrink:
                let key = step * 7919 % 500
                if step < 500 { now.set(key, to: value) } else { now.remove(key) }
            case .oneHotPlace:
                let key = step % 2 == 0 ? step : 2_000 - step
                now.set(key, to: value)
                if step % 3 == 0 { now.remove(key - 2) }
            }
            if step % 50 == 0 || step < 20 { kept.append(now) }
            if step % 10 == 0 { #expect(now.tree.fault == nil, "seed \(seed)") }
        }
        kept.append(now)
        for version in kept { version.check(seed) }
        for (older, newer) in zip(kept, kept.dropFirst()) {
            newer.checkChanges(from: older, seed)
            older.checkChanges(from: newer, seed)
        }
        for _ in 0..<20 {
            let (one, other) = (
                kept.randomElement(using: &random)!, kept.randomElement(using: &random)!
            )
            one.checkChanges(from: other, seed)
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `changes after changes of a few places are found, whatever else the tree has`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var now = Version()
        for key in 0..<500 { now.set(key * 3, to: "\(key)") }
        for _ in 0..<100 {
            let older = now
            let place = Int.random(in: 0..<1_500, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: now.set(place, to: "new")
            case 1:
                now.model.keys.sorted().dropFirst(place / 3).prefix(40).forEach { now.remove($0) }
            case 2: for key in place..<(place + 60) { now.set(key, to: "n\(key)") }
            default: for key in now.model.keys.sorted().prefix(5) { now.set(key, to: "\(place)") }
            }
            #expect(now.tree.fault == nil, "seed \(seed)")
            now.checkChanges(from: older, seed)
            older.checkChanges(from: now, seed)
        }
    }

    @Test func `a change is found without asking for the rest`() {
        var tree = SmallTree((0..<20_000).map { ($0, "\($0)") })
        for key in [0, 19_999, 7_123, 20_000, 12_500] {
            let old = tree
            if key == 12_500 { tree.remove(key) } else { tree.update("new", at: key) }
            // Values of the same memory aren't asked; these are made to differ in it.
            var asked = 0
            let changes = Array(
                tree.changes(from: old) {
                    asked += 1
                    return $0 == $1
                })
            #expect(changes.map(\.key) == [key])
            #expect(asked <= 1)
            #expect(tree.nodesNotShared(with: old) <= 8)
        }
    }

    @Test func `trees that were made apart are compared by value`() {
        let one = SmallTree(
            (0..<1_000).map { ($0, String(repeating: "long ", count: 5) + "\($0)") })
        var other = SmallTree()
        for key in (0..<1_000).reversed() {
            other.update(String(repeating: "long ", count: 5) + "\(key)", at: key)
        }
        #expect(Array(one.changes(from: other, isEqual: ==)).isEmpty)
        #expect(!one.isIdentical(to: other))
        other.update("new", at: 500)
        #expect(one.changes(from: other, isEqual: ==).map(\.key) == [500])
        #expect(Array(one.changes(from: SmallTree(), isEqual: ==)).count == 1_000)
        #expect(Array(SmallTree().changes(from: one, isEqual: ==)).count == 1_000)
    }

    @Test func `a tree that nobody else has is changed in place`() {
        var tree = SmallTree((0..<1_000).map { ($0, "\($0)") })
        for key in [0, 1, 500, 999] {
            let before = tree.memoryForTesting
            tree.update("new", at: key)
            #expect(tree.memoryForTesting == before)
        }
        let before = tree.memoryForTesting
        tree.remove(500)
        #expect(tree.memoryForTesting == before)
        tree.update("again", at: 500)
        #expect(tree.memoryForTesting == before)
    }

    @Test func `a tree that another version shares copies the way to the change, once`() {
        var tree = SmallTree((0..<1_000).map { ($0, "\($0)") })
        let old = tree
        tree.update("new", at: 500)
        let copied = tree.nodesNotShared(with: old)
        #expect((2...5).contains(copied))
        let before = tree.memoryForTesting
        tree.update("newer", at: 500)
        #expect(tree.memoryForTesting == before)
        #expect(tree.nodesNotShared(with: old) == copied)
        #expect(old[500] == "500" && tree[500] == "newer")
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `positions are those in the sorted list`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var version = Version()
        for _ in 0..<700 { version.set(Int.random(in: 0..<2_000, using: &random), to: "") }
        for _ in 0..<200 { version.remove(Int.random(in: 0..<2_000, using: &random)) }
        let keys = version.model.keys.sorted()
        for (position, key) in keys.enumerated() {
            #expect(version.tree[position: position].key == key)
            #expect(version.tree.position(of: key) == position)
        }
        for key in stride(from: -1, through: 2_001, by: 13) {
            #expect(version.tree.position(of: key) == keys.count { $0 < key })
            #expect(version.tree.contains(key) == (version.model[key] != nil))
        }
    }

    @Test(arguments: [0, 1, 5, 8, 100, 200])
    func `a cursor goes both ways from any place`(count: Int) {
        let tree = SmallTree((0..<count).map { ($0 * 2, "") })
        for start in stride(from: -1, through: count * 2 + 1, by: 3) {
            var (forwards, backwards) = (tree.cursor(at: start), tree.cursor(at: start))
            let (after, before) = (
                (0..<count).map { $0 * 2 }.filter { $0 >= start },
                (0..<count).map { $0 * 2 }.filter { $0 < start }
            )
            #expect(Array(AnyIterator { forwards.next()?.key }) == after)
            #expect(Array(AnyIterator { backwards.previous()?.key }) == before.reversed())
            #expect(Array(AnyIterator { forwards.previous()?.key }) == (before + after).reversed())
            #expect(Array(AnyIterator { backwards.next()?.key }) == before + after)
        }
        for position in 0...count {
            var cursor = tree.cursor(position: position)
            #expect(cursor.next()?.key == (position < count ? position * 2 : nil))
            cursor = tree.cursor(position: position)
            #expect(cursor.previous()?.key == (position > 0 ? position * 2 - 2 : nil))
            #expect(
                cursor.next()?.key == (position > 0 ? position * 2 - 2 : position < count ? 0 : nil)
            )
        }
    }

    @Test func `of entries in any order, the later of two with one key counts`() {
        let entries = (0..<300).map { (($0 * 7919) % 200, "\($0)") }
        let tree = SmallTree(entries)
        let model = Dictionary(entries) { $1 }.sorted { $0.key < $1.key }
        #expect(tree.fault == nil)
        #expect(tree.map(\.value) == model.map(\.value))
    }

    @Test func `trees of any size can be made at once`() {
        for count in 0..<600 {
            let tree = SmallTree((0..<count).map { ($0, "") })
            #expect(tree.fault == nil && tree.count == count)
        }
    }

    final class Text: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    @Test func `a leaf keeps its note until it changes`() {
        var tree = SmallTree((0..<100).map { ($0, "\($0)") })
        func texts() -> (made: Int, text: String) {
            var (made, text) = (0, "")
            tree.forEachLeaf { leaf in
                text +=
                    leaf.note {
                        made += 1
                        return Text(leaf.values.joined(separator: " ") + " ")
                    }.text
            }
            return (made, text)
        }
        let first = texts()
        #expect(first.made > 10)
        #expect(first.text == (0..<100).map { "\($0) " }.joined())
        #expect(texts().made == 0)
        let old = tree
        tree.update("new", at: 50)
        tree.update("newer", at: 50)
        #expect(texts() == (1, first.text.replacing("50", with: "newer")))
        tree.update("50", at: 50)
        #expect(texts() == (1, first.text))
        tree = old
        #expect(texts() == (0, first.text))
    }
}
