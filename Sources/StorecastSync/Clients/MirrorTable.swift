import StorecastWire

/// The mirrors of a client, by what they mirror and by their numbers on the connection.
struct MirrorTable {
    private struct Key: Hashable {
        let selection: String
        let parameters: JSON?
    }

    private(set) var all: [Mirror] = []
    private var byKey: [Key: Mirror] = [:]
    private var byRef: [UInt64: Mirror] = [:]
    private var bySub: [UInt64: Mirror] = [:]

    subscript(selection: String, parameters: JSON?) -> Mirror? {
        byKey[Key(selection: selection, parameters: parameters)]
    }

    subscript(ref ref: UInt64) -> Mirror? { byRef[ref] }

    subscript(sub sub: UInt64) -> Mirror? { bySub[sub] }

    mutating func insert(_ mirror: Mirror) {
        all.append(mirror)
        byKey[Key(selection: mirror.selection, parameters: mirror.parameters)] = mirror
    }

    /// False if it isn't there. O(n).
    mutating func remove(_ mirror: Mirror) -> Bool {
        guard let place = all.firstIndex(where: { $0 === mirror }) else { return false }
        all.remove(at: place)
        byKey[Key(selection: mirror.selection, parameters: mirror.parameters)] = nil
        byRef[mirror.ref] = nil
        if let sub = mirror.sub { bySub[sub] = nil }
        return true
    }

    mutating func note(ref: UInt64, of mirror: Mirror) {
        byRef = byRef.filter { $0.value !== mirror }
        bySub = bySub.filter { $0.value !== mirror }
        byRef[ref] = mirror
    }

    mutating func note(sub: UInt64, of mirror: Mirror) {
        bySub[sub] = mirror
    }

    mutating func forgetSubs() {
        byRef = [:]
        bySub = [:]
        for mirror in all { mirror.sub = nil }
    }
}
