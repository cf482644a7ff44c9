import Testing

@testable import StorecastWire

@Suite struct JSONObjectTests {
    @Test func `members keep the order in which they came, and a new value its place`() {
        var object: JSONObject = ["b": 1, "a": 2, "c": 3]
        object["a"] = 4
        object["d"] = 5
        #expect(object.keys == ["b", "a", "c", "d"])
        object["b"] = nil
        object["b"] = 6
        #expect(object.keys == ["a", "c", "d", "b"])
        #expect(object.map(\.value) == [4, 3, 5, 6])
    }

    @Test func `of two members with one name the later counts`() {
        #expect(JSONObject([("a", 1), ("b", 2), ("a", 3)]) == ["a": 3, "b": 2])
    }

    @Test func `equality and hash ignore the order, at any size`() {
        for count in [0, 1, 5, 12, 13, 100] {
            let members = (0..<count).map { ("key \($0)", JSON.int(Int64($0))) }
            let one = JSONObject(members)
            let other = JSONObject(members.reversed())
            #expect(one == other)
            #expect(one.hashValue == other.hashValue)
            var changed = other
            changed["key 0"] = "changed"
            #expect(one != changed)
        }
    }

    @Test func `names are told apart by code points`() {
        var object: JSONObject = ["\u{e9}": 1]
        object["e\u{301}"] = 2
        #expect(object.count == 2)
        #expect(object["\u{e9}"] == 1)
    }

    @Test(arguments: [1, 2, 3, 4]) func `it does what a list of pairs does`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        var object = JSONObject()
        var model: [(key: String, value: JSON)] = []
        for step in 0..<3000 {
            let key = "k\(random.below(60))"
            let index = model.firstIndex { $0.key == key }
            // Phases in which it mostly grows and mostly shrinks, across the size where tables
            // start.
            let growth = (step / 500).isMultiple(of: 2) ? 7 : 2
            if random.below(10) < growth {
                object[key] = .int(Int64(step))
                if let index {
                    model[index].value = .int(Int64(step))
                } else {
                    model.append((key, .int(Int64(step))))
                }
            } else {
                #expect(object.removeValue(forKey: key) == index.map { model[$0].value })
                if let index { model.remove(at: index) }
            }
            #expect(object.count == model.count)
            guard step.isMultiple(of: 50) else { continue }
            #expect(object.keys == model.map(\.key), "seed \(seed) step \(step)")
            #expect(model.allSatisfy { object[$0.key] == $0.value })
        }
    }

    @Test func `a removed member is restored in its place`() {
        for count in [3, 12, 13, 40] {
            for index in 0..<count {
                let before = JSONObject((0..<count).map { ("k\($0)", JSON.int(Int64($0))) })
                var object = before
                // Removing the others first makes the table compact itself.
                let others = (0..<count).filter { $0 != index }.prefix(count / 2)
                for other in others { object["k\(other)"] = nil }
                let keys = object.keys
                let removed = object.removeMember("k\(index)")
                #expect(removed?.value == .int(Int64(index)))
                if let removed { object.restore("k\(index)", removed.value, at: removed.position) }
                #expect(object.keys == keys)
                #expect(object["k\(index)"] == .int(Int64(index)))
                #expect(object.count == keys.count)
            }
        }
    }

    @Test func `10,000 members are added, found and removed quickly`() {
        var object = JSONObject()
        for index in 0..<10_000 { object["member \(index)"] = .int(Int64(index)) }
        for index in stride(from: 0, to: 10_000, by: 2) { object["member \(index)"] = nil }
        #expect(object.count == 5000)
        #expect(object["member 9999"] == 9999)
        #expect(object["member 9998"] == nil)
        #expect(object.keys.first == "member 1")
    }
}
