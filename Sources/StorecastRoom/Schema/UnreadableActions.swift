import StorecastWire

/// The actions of a journal that a room can't read, collected so that they can be told at once.
struct UnreadableActions {
    private struct Kind {
        var count = 0
        /// The first ones.
        var offsets: [UInt64] = []
        /// Why the first one can't be read; nil if the room has no such type.
        var problem: String?
    }

    private static let shownOffsets = 5
    private static let shownTypes = 20
    private var kinds: [ExactString: Kind] = [:]

    var isEmpty: Bool { kinds.isEmpty }

    /// - Parameter problem: nil if the room has no such type.
    mutating func note(_ type: String, at offset: UInt64, _ problem: String?) {
        var kind = kinds[ExactString(type)] ?? Kind(problem: problem)
        kind.count += 1
        if kind.offsets.count < Self.shownOffsets { kind.offsets.append(offset) }
        kinds[ExactString(type)] = kind
    }
}

extension UnreadableActions: CustomStringConvertible {
    /// What can't be read, how often and where, and what to do about it.
    var description: String {
        let lines = kinds.sorted { $0.key < $1.key }.prefix(Self.shownTypes).map {
            line($0.key.string, $0.value)
        }
        let rest = kinds.count - lines.count
        return "The journal holds actions that the room can't read: "
            + lines.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more types" : "")
            + ". Bring the types back, or say what became of them with the room definition's "
            + "'upcast' or 'retire'. Nothing was changed."
    }

    private func line(_ type: String, _ kind: Kind) -> String {
        let places = kind.offsets.map { "\($0)" }.joined(separator: ", ")
        let more = kind.count > kind.offsets.count ? ", …" : ""
        let times = kind.count == 1 ? "1 time" : "\(kind.count) times"
        let problem = kind.problem.map { ": \($0)" } ?? ", which it doesn't know"
        return "'\(type.excerpt())' \(times) (offset \(places)\(more))\(problem)"
    }
}
