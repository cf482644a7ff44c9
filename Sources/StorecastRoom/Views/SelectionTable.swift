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
        let way: SelectionWay
        let meter = SelectionMeter()
        var members: [Member] = []

        init(reads: ((State, State) -> Bool)?, _ source: any SelectionSource<State>) {
            self.reads = reads
            let told = source.told
            isTold = told != nil
            way = told?.way ?? (reads == nil ? .closure : .declaredReads)
        }
    }

    /// In the order in which they were first subscribed to.
    private(set) var kinds: [Kind] = []
    private var numbers: [ExactString: Int] = [:]
    private var places: [GroupKey: Int] = [:]
    private var lastSub: UInt64 = 0
    /// How many groups have selections that say what they read.
    private(set) var readers = 0

    var groups: [SelectionGroup] {
        var groups: [SelectionGroup] = []
        groups.reserveCapacity(count)
        for kind in kinds {
            for member in kind.members { groups.append(member.group) }
        }
        return groups
    }

    var count: Int { places.count }

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
            kinds.append(Kind(reads: reads, member.source))
            numbers[key.name] = number
        }
        member.group.measure(by: kinds[number].meter)
        places[key] = kinds[number].members.count
        kinds[number].members.append(member)
        if reads != nil { readers += 1 }
    }

    /// What the selections of each name cost, in the order of the names.
    ///
    /// - Parameter total: what all of them took, in the turns that were timed.
    func costs(of total: Duration) -> [SelectionCost] {
        numbers.sorted { $0.key < $1.key }.map { name, number in
            let kind = kinds[number]
            return SelectionCost(
                name, kind.way, groups: kind.members.count, kind.meter, of: total)
        }
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
