import Testing

@testable import StorecastWire

@Suite struct JSONDiffTests {
    private func text(_ patch: JSONPatch) -> String {
        var writer = JSONWriter()
        patch.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func card(_ id: Int, _ text: String = "a card with some text on it") -> JSON {
        ["id": .int(Int64(id)), "text": .string(text), "votes": 3, "assignee": "somebody"]
    }

    @Test func `applied to the old value it gives the new one`() throws {
        for seed in 0..<4000 {
            var random = SeededRandom(UInt64(seed))
            let old = random.json()
            let new = random.below(10) == 0 ? random.json() : random.changed(random.changed(old))
            try expectDiff(old, new, "seed \(seed)")
        }
    }

    @Test func `lists of cards are changed into any other list of them`() throws {
        for seed in 0..<1500 {
            var random = SeededRandom(UInt64(seed))
            let all = (0..<12).map { card($0) }
            var old = Array(all.shuffled(using: &random).prefix(random.below(13)))
            var new = Array(all.shuffled(using: &random).prefix(random.below(13)))
            for index in new.indices where random.below(4) == 0 {
                new[index]["votes"] = .int(Int64(random.below(9)))
            }
            // Two with one id, and one without: then equality decides.
            if random.below(4) == 0, let first = old.first { old.append(first) }
            if random.below(8) == 0 { new.append("no card") }
            try expectDiff(["cards": .array(old)], ["cards": .array(new)], "seed \(seed)")
        }
    }

    @Test func `short lists of few values, repeated ones too, are changed into any other`() throws {
        for seed in 0..<3000 {
            var random = SeededRandom(UInt64(seed))
            let old = (0..<random.below(9)).map { _ in JSON.int(Int64(random.below(4))) }
            let new = (0..<random.below(9)).map { _ in JSON.int(Int64(random.below(4))) }
            try expectDiff(.array(old), .array(new), "seed \(seed)")
        }
    }

    private func expectDiff(_ old: JSON, _ new: JSON, _ name: Comment) throws {
        let patch = JSONPatch.diff(from: old, to: new)
        var value = old
        try patch.apply(to: &value)
        #expect(value == new, name)
        #expect(patch.isEmpty == (old == new), name)
        // Never larger than replacing everything.
        let whole = JSONPatch([.replace(path: JSONPointer(), value: new)])
        #expect(text(patch).utf8.count <= text(whole).utf8.count, name)
    }

    @Test func `only what changed is named`() {
        let old: JSON = [
            "title": "board", "list": [1, 2, 3], "gone": true, "same": ["x": ["y": 1]],
        ]
        let new: JSON = [
            "title": "Board", "list": [1, 5, 3], "same": ["x": ["y": 1]], "new": .null,
        ]
        let long = String(repeating: "context ", count: 40)
        var (before, after) = (old, new)
        before["long"] = .string(long)
        after["long"] = .string(long)
        #expect(
            text(.diff(from: before, to: after))
                == #"[{"op":"replace","path":"/title","value":"Board"},"#
                + #"{"op":"replace","path":"/list/1","value":5},{"op":"remove","path":"/gone"},"#
                + #"{"op":"add","path":"/new","value":null}]"#)
    }

    @Test func `a card inserted, removed, moved or changed among many is one small operation`() {
        let cards = (0..<50).map { card($0) }
        var inserted = cards
        inserted.insert(card(99), at: 20)
        #expect(
            JSONPatch.diff(from: .array(cards), to: .array(inserted)).operations
                == [.add(path: JSONPointer(["20"]), value: card(99))])
        var removed = cards
        removed.remove(at: 20)
        #expect(
            JSONPatch.diff(from: .array(cards), to: .array(removed)).operations
                == [.remove(path: JSONPointer(["20"]))])
        var moved = cards
        moved.insert(moved.remove(at: 40), at: 10)
        #expect(
            JSONPatch.diff(from: .array(cards), to: .array(moved)).operations
                == [.move(from: JSONPointer(["40"]), path: JSONPointer(["10"]))])
        var changed = moved
        changed[30]["votes"] = 4
        changed.remove(at: 5)
        #expect(
            text(.diff(from: .array(cards), to: .array(changed)))
                == #"[{"op":"remove","path":"/5"},{"op":"move","from":"/39","path":"/9"},"#
                + #"{"op":"replace","path":"/29/votes","value":4}]"#)
    }

    @Test func `what is smaller to replace is replaced`() {
        let old: JSON = [
            "settings": ["a": 1, "b": 2, "c": 3],
            "rest": .string(String(repeating: "x", count: 200)),
        ]
        var new = old
        new["settings"] = ["a": 4, "b": 5, "c": 6]
        #expect(
            JSONPatch.diff(from: old, to: new).operations
                == [.replace(path: JSONPointer(["settings"]), value: ["a": 4, "b": 5, "c": 6])])
    }

    @Test func `what is long is moved, what is short is replaced whole`() {
        let numbers = (0..<40).map { JSON.int(Int64($0)) }
        let long = JSON.string(String(repeating: "x", count: 200))
        let cards = numbers.map { JSON.object(["id": $0, "text": long]) }
        let moves = JSONPatch.diff(from: .array(cards), to: .array(cards.reversed())).operations
        #expect(moves.count == 39)
        #expect(moves.allSatisfy { if case .move = $0 { true } else { false } })
        let reversed = JSON.array(numbers.reversed())
        #expect(
            JSONPatch.diff(
                from: ["list": .array(numbers), "text": long],
                to: ["list": reversed, "text": long]
            ).operations
                == [.replace(path: JSONPointer(["list"]), value: reversed)])
    }

    @Test func `numbers worth the same are no change`() {
        #expect(JSONPatch.diff(from: [1, 2.0], to: [1.0, 2]).isEmpty)
    }

    @Test func `names that need escapes are found again`() throws {
        let long = JSON.string(String(repeating: "x", count: 200))
        try expectDiff(
            ["a/b~c\"": ["~1": 1], "long": long], ["a/b~c\"": ["~1": 2], "long": long], "escapes")
    }

    @Test
    func `ten thousand elements in a new order, all equal or all different, take no square time`()
        throws
    {
        var random = SeededRandom(7)
        let numbers = (0..<10_000).map { JSON.int(Int64($0)) }
        try expectDiff(.array(numbers), .array(numbers.shuffled(using: &random)), "shuffled")
        let same = [JSON](repeating: "same", count: 10_000)
        try expectDiff(.array(same + [1]), .array([2] + same.dropLast(500) + [3]), "equal")
        try expectDiff(.array(numbers), .array(numbers.map { .string("\($0)") }), "different")
    }
}
