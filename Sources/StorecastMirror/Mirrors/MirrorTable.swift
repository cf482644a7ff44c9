import StorecastSync
import StorecastWire

/// The mirrors of a client, by what they mirror and by their numbers on the connection.
struct MirrorTable {
    private struct Key: Hashable {
        let selection: ExactString
        let parameters: JSON?
    }

    private(set) var all: [Mirror] = []
    private var byKey: [Key: Mirror] = [:]
    private var byRef: [UInt64: Mirror] = [:]
    /// Mostly one for each; several if the server finds parameters equal that differ as JSON.
    private var bySub: [UInt64: [Mirror]] = [:]

    subscript(selection: String, parameters: JSON?) -> Mirror? {
        byKey[Key(selection: ExactString(selection), parameters: parameters)]
    }

    subscript(ref ref: UInt64) -> Mirror? { byRef[ref] }

    subscript(sub sub: UInt64) -> [Mirror] { bySub[sub] ?? [] }

    mutating func insert(_ mirror: Mirror) {
        all.append(mirror)
        byKey[Key(selection: ExactString(mirror.selection), parameters: mirror.parameters)] = mirror
    }

    /// False if it isn't there. O(n).
    mutating func remove(_ mirror: Mirror) -> Bool {
        guard let place = all.firstIndex(where: { $0 === mirror }) else { return false }
        all.remove(at: place)
        byKey[Key(selection: ExactString(mirror.selection), parameters: mirror.parameters)] = nil
        forgetNumbers(of: mirror)
        return true
    }

    /// The mirror has no subscription any more.
    mutating func end(_ mirror: Mirror) { forgetNumbers(of: mirror) }

    mutating func note(ref: UInt64, of mirror: Mirror) {
        forgetNumbers(of: mirror)
        mirror.subscribes(as: ref)
        byRef[ref] = mirror
    }

    mutating func note(_ subscribed: ServerFrame.Subscribed) {
        guard let mirror = byRef[subscribed.ref] else { return }
        mirror.subscribed(sub: subscribed.sub, tag: subscribed.tag)
        if let other = self[sub: subscribed.sub].first(where: { $0 !== mirror }) {
            mirror.adopt(other)
        }
        bySub[subscribed.sub, default: []].append(mirror)
    }

    private mutating func forgetNumbers(of mirror: Mirror) {
        byRef[mirror.ref] = nil
        guard let sub = mirror.sub else { return }
        bySub[sub]?.removeAll { $0 === mirror }
        if bySub[sub]?.isEmpty == true { bySub[sub] = nil }
    }

    mutating func forgetSubs() {
        byRef = [:]
        bySub = [:]
        for mirror in all { mirror.sub = nil }
    }
}
