import StorecastTables

/// Numbers from a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Numbers in order, in nodes so small that few entries make a high tree.
enum SmallNodes: TreeOrder {
    static func isOrdered(_ a: Int, before b: Int) -> Bool { a < b }
    static var capacity: Int { 8 }
}

typealias SmallTree = SortedTree<SmallNodes, String>

struct Card: Identifiable, Hashable, Codable, Sendable {
    var id: String
    var title = ""
    var tags: [String] = []
}
