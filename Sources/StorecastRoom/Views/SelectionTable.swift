/// The live groups of a room, in the order of their evaluation. Every operation is O(1).
struct SelectionTable<State> {
    private(set) var live: [(group: SelectionGroup, evaluation: any SelectionEvaluating<State>)] =
        []
    private var places: [GroupKey: Int] = [:]
    private var lastSub: UInt64 = 0

    subscript(key: GroupKey) -> SelectionGroup? {
        places[key].map { live[$0].group }
    }

    mutating func nextSub() -> UInt64 {
        lastSub += 1
        return lastSub
    }

    mutating func insert(
        _ group: SelectionGroup, _ evaluation: any SelectionEvaluating<State>
    ) {
        places[group.key] = live.count
        live.append((group, evaluation))
    }

    /// Takes the group out; nil if it isn't there.
    @discardableResult
    mutating func remove(_ group: SelectionGroup) -> (any SelectionEvaluating<State>)? {
        guard let place = places[group.key], live[place].group === group else { return nil }
        places[group.key] = nil
        let evaluation = live[place].evaluation
        let last = live.removeLast()
        if last.group !== group {
            live[place] = last
            places[last.group.key] = place
        }
        return evaluation
    }
}
