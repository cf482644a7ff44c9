@testable import StorecastWire

/// SplitMix64: small, seeded, the same on every machine.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}

extension SeededRandom {
    private static let words = [
        "", "a", "b", "id", "text", "a/b", "m~n", "quote\"", "back\\slash", "tab\t", "\u{1}",
        "naïve", "日本語のテキスト", "😀", "e\u{301}", "é", "a rather longer text than fifteen bytes",
    ]

    mutating func word() -> String { Self.words[below(Self.words.count)] }

    mutating func json(depth: Int = 4) -> JSON {
        switch below(depth > 0 ? 10 : 6) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2: return .int(Int64(bitPattern: next()) >> Int64(below(64)))
        case 3: return JSON(integer: next() >> UInt64(below(4)))
        case 4:
            let number = Double(bitPattern: next())
            return .double(number.isFinite ? number : 0.5)
        case 5: return .string(word())
        case 6, 7: return .array((0..<below(6)).map { _ in json(depth: depth - 1) })
        default:
            return .object(JSONObject((0..<below(6)).map { _ in (word(), json(depth: depth - 1)) }))
        }
    }

    /// Like `value`, with a few changes of the kinds that programs make.
    mutating func changed(_ value: JSON) -> JSON {
        switch value {
        case .array(var elements):
            for _ in 0...below(3) {
                let index = below(elements.count + 1)
                switch below(4) {
                case 0: elements.insert(json(depth: 1), at: index)
                case 1 where index < elements.count: elements.remove(at: index)
                case 2 where index < elements.count: elements[index] = changed(elements[index])
                case 3 where index < elements.count:
                    let element = elements.remove(at: index)
                    elements.insert(element, at: below(elements.count + 1))
                default: break
                }
            }
            return .array(elements)
        case .object(var object):
            for _ in 0...below(3) {
                let key = below(2) == 0 ? word() : object.keys.randomElement(using: &self) ?? "a"
                switch below(3) {
                case 0: object[key] = json(depth: 1)
                case 1: object[key] = nil
                default: object[key] = object[key].map { changed($0) }
                }
            }
            return .object(object)
        default: return json(depth: 1)
        }
    }
}
