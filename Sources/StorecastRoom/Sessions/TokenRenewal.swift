import StorecastSync

/// The tokens of a live connection's `authenticate` frames, checked one at a time.
///
/// A frame without an answer could otherwise start any number of checks, whose results might also
/// come in another order.
struct TokenRenewal {
    private(set) var isChecking = false
    private var next: String?

    /// A token has come: the one to check now, if none is being checked.
    ///
    /// Of several that come meanwhile only the newest is kept.
    mutating func begin(_ token: String) -> String? {
        guard isChecking else {
            isChecking = true
            return token
        }
        next = token
        return nil
    }

    /// A check has ended: the token to check now, or nil.
    mutating func end() -> String? {
        defer { next = nil }
        isChecking = next != nil
        return next
    }
}

/// Until when the identity of a connection holds, and when its client is asked for a newer token.
struct IdentityTerm {
    enum Step: Equatable {
        case wait
        /// The client is to show a newer token within so many seconds.
        case ask(within: Double)
        case end
    }

    private let end: Timestamp
    /// When to ask; nil if that was done, or would be in vain.
    private var asking: Timestamp?

    /// The term of an identity that was checked at `now`; nil if it has no end.
    ///
    /// - Parameters:
    ///   - margin: how long before the end to ask, but not in the first half of what is left.
    ///   - earlier: the term before. Whoever shows the same token again isn't asked again.
    init?(of identity: Identity, at now: Timestamp, margin: Duration, after earlier: Self?) {
        guard let end = identity.expires else { return nil }
        self.end = end
        if let earlier, earlier.asking == nil, !(earlier.end < end) { return }
        let left = end.secondsSince1970 - now.secondsSince1970
        asking = Timestamp(
            secondsSince1970: end.secondsSince1970 - min(margin / .seconds(1), left / 2))
    }

    /// When there is something to do next.
    var next: Timestamp { asking ?? end }

    mutating func step(at now: Timestamp) -> Step {
        guard now < end else { return .end }
        guard let asking, !(now < asking) else { return .wait }
        self.asking = nil
        return .ask(within: end.secondsSince1970 - now.secondsSince1970)
    }
}

/// When sessions are to be looked at, by their ids, to the second. Noting and forgetting one is
/// O(1).
struct SessionTimes {
    private var bySecond: [Int: Set<UInt64>] = [:]
    private var seconds: [UInt64: Int] = [:]

    var isEmpty: Bool { seconds.isEmpty }

    /// - Parameter time: nil to forget the session.
    mutating func set(_ id: UInt64, at time: Timestamp?) {
        if let second = seconds.removeValue(forKey: id) {
            bySecond[second]?.remove(id)
            if bySecond[second]?.isEmpty == true { bySecond[second] = nil }
        }
        guard let time = time?.secondsSince1970.rounded(.up) else { return }
        // What is no time is due at once.
        let second = Int(exactly: time) ?? (time > 0 ? .max : .min)
        seconds[id] = second
        bySecond[second, default: []].insert(id)
    }

    /// Takes those whose time has come, in the order of their ids. O(different seconds).
    mutating func takeDue(at now: Timestamp) -> [UInt64] {
        let due = bySecond.keys.filter { Double($0) <= now.secondsSince1970 }
        let ids = due.flatMap { bySecond.removeValue(forKey: $0) ?? [] }.sorted()
        for id in ids { seconds[id] = nil }
        return ids
    }
}
