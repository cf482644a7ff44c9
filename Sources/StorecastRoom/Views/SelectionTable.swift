import StorecastSync

/// The live groups of a room, by selection. Finding, adding and removing one is O(1).
struct SelectionTable<State> {
    typealias Member = (group: SelectionGroup, source: any SelectionSource<State>)

    /// The groups of one selection, whatever their parameters and viewers.
    ///
    /// A class, as an array of structures whose types depend on `State` takes long to go through.
    final class Kind {
        let reads: ((State, State) -> Bool)?
        /// Whether its sources are told of changes, and needn't be asked.
        let isTold: Bool
        var members: [Member] = []

        init(reads: ((State, State) -> Bool)?, isTold: Bool) {
            self.reads = reads
            self.isTold = isTold
        }
    }

    /// In the order in which they were first subscribed to.
    private(set) var kinds: [Kind] = []
    private var numbers: [ExactString: Int] = [:]
    private var places: [GroupKey: Int] = [:]
    private var lastSub: UInt64 = 0
    /// How many groups have selections that say what they read.
    private(set) var readers = 0

    var groups: some Sequence<SelectionGroup> {
        kinds.lazy.flatMap { $0.members.lazy.map(\.group) }
    }

    subscript(key: GroupKey) -> SelectionGroup? {
        guard let number = numbers[key.name], let place = places[key] else { return nil }
        return kinds[number].members[place].group
    }

    mutating func nextSub() -> UInt64 {
        lastSub += 1
        return lastSub
    }

    mutating func insert(_ member: Member, reads: ((State, State) -> Bool)?) {
        let key = member.group.key
        let number = numbers[key.name] ?? kinds.count
        if number == kinds.count {
            let isTold = member.source is any ToldSource<State>
            kinds.append(Kind(reads: reads, isTold: isTold))
            numbers[key.name] = number
        }
        places[key] = kinds[number].members.count
        kinds[number].members.append(member)
        if reads != nil { readers += 1 }
    }

    /// Takes the group out; nil if it isn't there.
    @discardableResult
    mutating func remove(_ group: SelectionGroup) -> (any SelectionSource<State>)? {
        guard let number = numbers[group.key.name], let place = places[group.key],
            kinds[number].members[place].group === group
        else { return nil }
        places[group.key] = nil
        if kinds[number].reads != nil { readers -= 1 }
        let source = kinds[number].members[place].source
        let last = kinds[number].members.removeLast()
        if last.group !== group {
            kinds[number].members[place] = last
            places[last.group.key] = place
        }
        return source
    }
}
