package import StorecastWire

/// Where a log doesn't lead to what it led to before.
package struct Divergence: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Two replays of the same entries differ: the reducer isn't deterministic.
        case replays
        /// Replays agree with each other and not with what the server's room had become.
        case snapshot
    }

    package let kind: Kind
    /// The first entry after which the state differs, or is suspected to; nil if nothing points to
    /// one.
    package var offset: UInt64?
    /// The version behind that entry.
    package var version: UInt64?
    /// The actions of that entry.
    package var types: [String] = []
    /// The states were the same behind this entry …
    package let after: UInt64
    /// … and differ behind this one.
    package let through: UInt64
    /// Where the states differ then; the first hundred places.
    package let places: [JSONPointer]

    init(
        _ kind: Kind, offset: UInt64? = nil, version: UInt64? = nil, types: [String] = [],
        after: UInt64, through: UInt64, places: [JSONPointer]
    ) {
        self.kind = kind
        self.offset = offset
        self.version = version
        self.types = types
        self.after = after
        self.through = through
        self.places = places
    }
}

extension Divergence: CustomStringConvertible {
    /// What differs, since which action, and why that may be.
    package var description: String {
        let range = "between the entries at offsets \(after) and \(through)"
        let place = offset.map { offset in
            let names = types.isEmpty ? "no action" : types.joined(separator: ", ")
            return "offset \(offset), version \(version ?? 0): \(names)"
        }
        let paths = places.prefix(5).map { $0.tokens.isEmpty ? "the whole" : "\($0)" }
            .joined(separator: ", ")
        switch kind {
        case .replays:
            return "Two replays differ \(place.map { "first behind \($0)" } ?? range). The reducer "
                + "or a check depends on more than state and action: time, chance, or the order "
                + "of a set or dictionary. They differ at: \(paths)"
        case .snapshot:
            return "The snapshot at offset \(through) isn't what the log leads to now; "
                + (place.map { "the first action that touched what differs is at \($0)" }
                    ?? "nothing touched what differs \(range)")
                + ". Reducer or checks have changed, or depend on the machine. The replay differs "
                + "from the snapshot at: \(paths)"
        }
    }
}
