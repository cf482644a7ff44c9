/// Finds the slot of a name in a large object: open addressing with linear probing.
///
/// Holds slot numbers only; the names are read from the slots. A slot without a value is skipped,
/// so a removal needs no work here. Names are hashed with Swift's hasher, whose seed differs in
/// every process: whoever sends the names can't choose ones that collide.
struct JSONObjectTable: Sendable {
    /// How many slots have no value and how many entries are in use; then slot number + 1 by hash,
    /// 0 being free, at most half full. In one array, because every `JSON` has the size of an
    /// object.
    private var entries: [UInt32] = []

    private static let header = 2

    init() {}

    init(of slots: [JSONObject.Slot]) {
        rebuild(slots)
    }

    var isEmpty: Bool { entries.isEmpty }

    /// How many of the slots have no value. Only where there is a table.
    var gaps: Int {
        get { entries.isEmpty ? 0 : Int(entries[0]) }
        set { entries[0] = UInt32(newValue) }
    }

    private var used: Int {
        get { Int(entries[1]) }
        set { entries[1] = UInt32(newValue) }
    }

    /// The number of hash values, a power of two, less one.
    private var mask: Int { entries.count - Self.header - 1 }

    /// The slot of the live member called `key`.
    func slot(of key: String, in slots: [JSONObject.Slot]) -> Int? {
        let mask = mask
        var at = Self.hash(key) & mask
        while case let entry = entries[Self.header + at], entry != 0 {
            let slot = Int(entry) - 1
            if slots[slot].value != nil, slots[slot].key.isSameText(as: key) { return slot }
            at = (at + 1) & mask
        }
        return nil
    }

    /// Enters a slot whose name isn't in the table.
    mutating func insert(_ slot: Int, in slots: [JSONObject.Slot]) {
        if (used + 1) * 2 > mask {
            rebuild(slots)
        } else {
            place(slot, slots[slot].key)
        }
    }

    private mutating func rebuild(_ slots: [JSONObject.Slot]) {
        var capacity = 32
        while capacity < slots.count * 4 { capacity *= 2 }
        entries = [UInt32](repeating: 0, count: Self.header + capacity)
        gaps = slots.count { $0.value == nil }
        for slot in slots.indices { place(slot, slots[slot].key) }
    }

    private mutating func place(_ slot: Int, _ key: String) {
        let mask = mask
        var at = Self.hash(key) & mask
        while entries[Self.header + at] != 0 { at = (at + 1) & mask }
        entries[Self.header + at] = UInt32(slot + 1)
        used += 1
    }

    private static func hash(_ key: String) -> Int {
        var hasher = Hasher()
        key.withTextBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
