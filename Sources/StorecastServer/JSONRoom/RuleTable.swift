import StorecastSync

/// What somebody may do with a part of a document. All but `read` are the names of actions.
enum DocumentRight: String, CaseIterable {
    case read, set, merge, increment, append, remove

    /// Those that `write` stands for.
    static let writing = allCases.filter { $0 != .read }
}

/// Some of the rules of a file, by their places in it.
struct RuleSet {
    static let most = 256
    private var bits = SIMD4<UInt64>()

    var isEmpty: Bool { bits == .zero }

    mutating func insert(_ rule: Int) { bits[rule / 64] |= 1 << UInt64(rule % 64) }

    mutating func formUnion(_ other: RuleSet) { bits |= other.bits }

    mutating func formIntersection(_ other: RuleSet) { bits &= other.bits }

    func intersects(_ other: RuleSet) -> Bool { bits & other.bits != .zero }
}

/// Somebody in a room, as its rules see them.
struct RuledPerson {
    /// Those that are for this person, in this room.
    var rules: RuleSet
    /// What `$identity` stands for; nil for nothing, as anonymous people have no id.
    var id: String?
}

/// Which rules are about which paths, for one right.
///
/// A rule that is about a path is about all that is in the value there, and so allows what any rule
/// on the way allows. Nothing is taken away again: so whatever is on the way decides.
struct RuledPaths {
    /// One step of a path in a rule.
    enum Step: Hashable {
        case named(ExactString)
        /// `*`: whatever it is.
        case any
        /// `$identity`: the id of whoever asks.
        case own
    }

    private struct Place {
        var next: [Step: Int] = [:]
        /// Those that end here, and those that end further in.
        var rules = RuleSet()
        var inside = RuleSet()
    }

    private var places = [Place()]
    /// How many different paths with a step that isn't named there are: as many places may be
    /// reached by one path.
    private(set) var openPaths = 0

    mutating func add(_ path: [Step], of rule: Int) {
        var place = 0
        for step in path {
            places[place].inside.insert(rule)
            if let next = places[place].next[step] {
                place = next
            } else {
                places.append(Place())
                places[place].next[step] = places.count - 1
                place = places.count - 1
            }
        }
        if places[place].rules.isEmpty, path.contains(.any) || path.contains(.own) {
            openPaths += 1
        }
        places[place].rules.insert(rule)
    }

    /// Whether the person has the right to the value at the path, and so to all that is in it.
    ///
    /// O(steps of the path that rules have), each for at most as many places as there are open paths.
    func allow(_ path: some Collection<String>, to person: RuledPerson) -> Bool {
        end(of: path, for: person) == nil
    }

    /// Whether the person has the right to all that a merge of `patch` at the path names: to a
    /// value that isn't an object with members, and else to what each of its members names.
    func allow(_ patch: JSON, at path: some Collection<String>, to person: RuledPerson) -> Bool {
        guard let reached = end(of: path, for: person) else { return true }
        return allow(patch, from: reached, to: person)
    }

    private func allow(_ patch: JSON, from reached: [Int], to person: RuledPerson) -> Bool {
        guard let members = patch.object, !members.isEmpty, !reached.isEmpty else { return false }
        return members.allSatisfy { name, member in
            let next = step(from: reached, name, person)
            return has(next, person) || allow(member, from: next, to: person)
        }
    }

    /// The places that a path leads to, or nil if the person has the right on the way or there.
    private func end(of path: some Collection<String>, for person: RuledPerson) -> [Int]? {
        var reached = [0]
        if has(reached, person) { return nil }
        for token in path {
            reached = step(from: reached, token, person)
            if has(reached, person) { return nil }
            if reached.isEmpty { break }
        }
        return reached
    }

    private func has(_ reached: [Int], _ person: RuledPerson) -> Bool {
        reached.contains { places[$0].rules.intersects(person.rules) }
    }

    private func step(from reached: [Int], _ token: String, _ person: RuledPerson) -> [Int] {
        var next: [Int] = []
        for place in reached where places[place].inside.intersects(person.rules) {
            let ways = places[place].next
            if let named = ways[.named(ExactString(token))] { next.append(named) }
            if let any = ways[.any] { next.append(any) }
            if let id = person.id, id.isSameText(as: token), let own = ways[.own] {
                next.append(own)
            }
        }
        return next
    }
}

/// The rules of a file, to be asked.
final class RuleTable: Sendable {
    /// Words for people in place of a role; no role of a token is one of them.
    enum Anyone: String, CaseIterable {
        case everybody = "$everybody"
        case anonymous = "$anonymous"
        case signedIn = "$signed-in"
        case devtools = "$devtools"
    }

    let count: Int
    private let paths: [DocumentRight: RuledPaths]
    private let roles: [ExactString: RuleSet]
    /// Rules for some rooms only, by the rooms.
    private let rooms: [(pattern: RoomPattern, rules: RuleSet)]
    private let everywhere: RuleSet

    init(_ rules: [DocumentRule]) {
        count = rules.count
        var paths: [DocumentRight: RuledPaths] = [:]
        var roles: [ExactString: RuleSet] = [:]
        var rooms: [(pattern: RoomPattern, rules: RuleSet)] = []
        var everywhere = RuleSet()
        for (number, rule) in rules.enumerated() {
            for role in rule.roles { roles[ExactString(role), default: RuleSet()].insert(number) }
            for (right, path) in rule.paths {
                paths[right, default: RuledPaths()].add(path, of: number)
            }
            if rule.rooms.isEmpty { everywhere.insert(number) }
            for pattern in rule.rooms {
                let known = rooms.firstIndex { $0.pattern.text.isSameText(as: pattern.text) }
                if known == nil { rooms.append((pattern, RuleSet())) }
                rooms[known ?? rooms.count - 1].rules.insert(number)
            }
        }
        (self.paths, self.roles, self.rooms) = (paths, roles, rooms)
        self.everywhere = everywhere
    }

    /// Whom the rules see in an identity, in the room of a path.
    func person(_ identity: Identity, in room: String) -> RuledPerson {
        var rules = RuleSet()
        for word in Self.words(for: identity) {
            if let more = roles[ExactString(word)] { rules.formUnion(more) }
        }
        var here = everywhere
        if !rooms.isEmpty {
            let segments = RoomPattern.segments(of: room)
            for (pattern, rules) in rooms where pattern.matches(segments) { here.formUnion(rules) }
        }
        rules.formIntersection(here)
        return RuledPerson(rules: rules, id: identity.id.isEmpty ? nil : identity.id)
    }

    /// What stands for an identity in `roles`.
    static func words(for identity: Identity) -> [String] {
        var words = [Anyone.everybody.rawValue]
        if identity.id.isEmpty {
            words.append(Anyone.anonymous.rawValue)
        } else if identity.isReserved {
            words.append(Anyone.devtools.rawValue)
        } else {
            words.append(Anyone.signedIn.rawValue)
        }
        return words + identity.roles.filter { $0.utf8.first != UInt8(ascii: "$") }.sortedExactly()
    }

    /// The rooms for which there are rules, and which are none of those that there may be.
    func strangers(to paths: RoomPatterns) -> [String] {
        rooms.map(\.pattern).filter { pattern in !paths.patterns.contains { $0.meets(pattern) } }
            .map(\.text)
    }

    /// The roles for which there are rules, in ascending order, without words such as `$everybody`.
    var namedRoles: [String] {
        let words = Set(Anyone.allCases.map { ExactString($0.rawValue) })
        return roles.keys.filter { !words.contains($0) }.sorted().map(\.string)
    }

    /// Whether some rule is for people who have no token.
    var admitsAnonymous: Bool {
        [Anyone.everybody, .anonymous].contains { roles[ExactString($0.rawValue)] != nil }
    }

    func allows(_ right: DocumentRight, _ path: some Collection<String>, _ person: RuledPerson)
        -> Bool
    {
        paths[right]?.allow(path, to: person) ?? false
    }

    /// Whether the person may do the edit, as far as can be told without the document.
    func allows(_ edit: any JSONEdit, _ person: RuledPerson) -> Bool {
        guard let merge = edit as? MergeValue else {
            return allows(edit.right, edit.path.pointer.tokens, person)
        }
        return paths[.merge]?.allow(merge.value, at: merge.path.pointer.tokens, to: person) ?? false
    }
}

/// One rule of a file.
struct DocumentRule {
    var roles: [String] = []
    /// Nil for all.
    var rooms: [RoomPattern] = []
    var paths: [(DocumentRight, [RuledPaths.Step])] = []
}

extension JSONEdit {
    /// The right that it takes.
    var right: DocumentRight {
        guard let right = DocumentRight(rawValue: Self.wireName) else {
            preconditionFailure("There is no right for '\(Self.wireName)'.")
        }
        return right
    }
}
