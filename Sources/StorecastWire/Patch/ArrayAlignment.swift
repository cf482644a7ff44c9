/// How one list becomes another by removing, inserting and moving elements.
///
/// Elements are named by numbers, none twice in one list. The longest run of common elements that
/// are in the same order stays where it is (a longest increasing subsequence), so as few as
/// possible move. Time O(n log n), space O(n).
struct ArrayAlignment {
    /// A step; indices are those of the list as the steps before have left it.
    enum Step: Equatable {
        case remove(Int)
        case insert(_ source: Int, at: Int)
        /// `to` counts after the removal, as in RFC 6902's `move`.
        case move(from: Int, to: Int)
    }

    /// What to do, in order.
    private(set) var steps: [Step] = []
    /// Which old element has become which new one; their contents may differ.
    private(set) var pairs: [(old: Int, new: Int)] = []

    /// For each old element its place in the new list, or -1; and the other way round.
    private var newIndex: [Int]
    private var oldIndex: [Int]
    /// Whether an old element keeps its place in the order.
    private var stays: [Bool]

    init(from old: [Int], to new: [Int]) {
        newIndex = [Int](repeating: -1, count: old.count)
        oldIndex = [Int](repeating: -1, count: new.count)
        stays = [Bool](repeating: false, count: old.count)
        match(old, new)
        keepLongestRun()
        pairWithinGaps()
        for index in old.indices.reversed() where newIndex[index] < 0 {
            steps.append(.remove(index))
        }
        placeOthers()
        pairs = oldIndex.enumerated().filter { $0.element >= 0 }.map { ($0.element, $0.offset) }
    }

    private mutating func match(_ old: [Int], _ new: [Int]) {
        var places: [Int: Int] = [:]
        places.reserveCapacity(new.count)
        for (index, name) in new.enumerated() { places[name] = index }
        for (index, name) in old.enumerated() {
            guard let place = places[name] else { continue }
            newIndex[index] = place
            oldIndex[place] = index
        }
    }

    /// Marks a longest run whose new places increase (patience sorting, Fredman 1975).
    private mutating func keepLongestRun() {
        // For each length of run, the old element that ends the one with the smallest last place.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: newIndex.count)
        for (index, place) in newIndex.enumerated() where place >= 0 {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if newIndex[ends[middle]] < place { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var at = ends.last ?? -1
        while at >= 0 {
            stays[at] = true
            at = previous[at]
        }
    }

    /// Between two elements that stay, what goes and what comes are taken for each other, in order:
    /// an element that changed in place.
    private mutating func pairWithinGaps() {
        var new = 0
        var gap: [Int] = []
        for index in newIndex.indices {
            if newIndex[index] < 0 {
                gap.append(index)
            } else if stays[index] {
                pair(gap, from: new, to: newIndex[index])
                gap.removeAll(keepingCapacity: true)
                new = newIndex[index] + 1
            }
        }
        pair(gap, from: new, to: oldIndex.count)
    }

    private mutating func pair(_ gap: [Int], from start: Int, to end: Int) {
        var new = start
        for index in gap {
            while new < end, oldIndex[new] >= 0 { new += 1 }
            guard new < end else { return }
            newIndex[index] = new
            oldIndex[new] = index
            stays[index] = true
        }
    }

    /// Goes through the new list and puts each element where it belongs.
    ///
    /// The list at any time is what has been placed, in order, right behind the last placed element
    /// that stayed; the elements that will move are still where they were among those that stay.
    private mutating func placeOthers() {
        let left = newIndex.indices.filter { newIndex[$0] >= 0 }
        var rank = [Int](repeating: 0, count: newIndex.count)
        var staysBefore = [Int](repeating: 0, count: left.count)
        // For each that moves, how many are placed once the next one that stays is reached.
        var nextPlace = [Int](repeating: oldIndex.count, count: left.count)
        var waiting = CountingTree(count: left.count)
        for (index, element) in left.enumerated() {
            rank[element] = index
            if index > 0 {
                staysBefore[index] = staysBefore[index - 1] + (stays[left[index - 1]] ? 1 : 0)
            }
            if !stays[element] { waiting.add(1, at: index) }
        }
        for index in left.indices.dropLast().reversed() {
            let following = left[index + 1]
            nextPlace[index] = stays[following] ? newIndex[following] : nextPlace[index + 1]
        }
        var lastStayed = -1
        var stayed = 0
        for (place, element) in oldIndex.enumerated() {
            if element >= 0, stays[element] {
                lastStayed = rank[element]
                stayed += 1
                continue
            }
            guard element >= 0 else {
                steps.append(.insert(place, at: place + waiting.sum(below: lastStayed + 1)))
                continue
            }
            let index = rank[element]
            let placedBefore =
                index < lastStayed ? nextPlace[index] : place + staysBefore[index] - stayed
            let from = placedBefore + waiting.sum(below: index)
            waiting.add(-1, at: index)
            let to = place + waiting.sum(below: lastStayed + 1)
            if from != to { steps.append(.move(from: from, to: to)) }
        }
    }
}

/// Counts by position with sums of all before one (Fenwick 1994). Both take O(log n).
struct CountingTree {
    private var sums: [Int]

    init(count: Int) { sums = [Int](repeating: 0, count: count + 1) }

    mutating func add(_ value: Int, at position: Int) {
        var at = position + 1
        while at < sums.count {
            sums[at] += value
            at += at & -at
        }
    }

    func sum(below position: Int) -> Int {
        var sum = 0
        var at = position
        while at > 0 {
            sum += sums[at]
            at -= at & -at
        }
        return sum
    }
}
